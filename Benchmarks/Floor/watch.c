// Many callers that wait for one event: owns NAME and leaves every WaitForChange unanswered until Fire is called. Then
// each caller gets its method return, in the same shape as the broker's.
#include "common.h"

static DBusMessage **waiting;
static size_t count, room;

static void keep(DBusMessage *m) {
    if (count == room) waiting = realloc(waiting, (room = room ? room * 2 : 64) * sizeof *waiting);
    waiting[count++] = dbus_message_ref(m);
}

static void answer(DBusConnection *c, DBusMessage *m, dbus_uint64_t number) {
    const char *name = "watched";
    DBusMessage *r = dbus_message_new_method_return(m);
    DBusMessageIter all, rows, row, facts;
    dbus_message_iter_init_append(r, &all);
    dbus_message_iter_append_basic(&all, DBUS_TYPE_UINT64, &number);
    dbus_message_iter_open_container(&all, DBUS_TYPE_ARRAY, "(st)", &rows);
    dbus_message_iter_open_container(&rows, DBUS_TYPE_STRUCT, NULL, &row);
    dbus_message_iter_append_basic(&row, DBUS_TYPE_STRING, &name);
    dbus_message_iter_append_basic(&row, DBUS_TYPE_UINT64, &number);
    dbus_message_iter_close_container(&rows, &row);
    dbus_message_iter_close_container(&all, &rows);
    dbus_message_iter_open_container(&all, DBUS_TYPE_ARRAY, "{sv}", &facts);
    dbus_message_iter_close_container(&all, &facts);
    dbus_connection_send(c, r, NULL);
    dbus_message_unref(r);
}

static void fire(DBusConnection *c, dbus_uint64_t number) {
    for (size_t i = 0; i < count; i++) {
        answer(c, waiting[i], number);
        dbus_message_unref(waiting[i]);
    }
    count = 0;
}

int main(int argc, char **argv) {
    DBusError e;
    dbus_error_init(&e);
    if (argc != 2) {
        fprintf(stderr, "usage: watch NAME\n");
        return 64;
    }
    DBusConnection *c = dbus_bus_get(DBUS_BUS_SESSION, &e);
    if (!c || dbus_bus_request_name(c, argv[1], 0, &e) < 0) die("bus", &e);
    ready();
    dbus_uint64_t number = 0;
    while (dbus_connection_read_write(c, -1))
        for (DBusMessage *m; (m = dbus_connection_pop_message(c)); dbus_message_unref(m)) {
            if (dbus_message_get_type(m) != DBUS_MESSAGE_TYPE_METHOD_CALL) continue;
            if (dbus_message_is_method_call(m, "org.swiftipc.Pasteboards1", "WaitForChange")) {
                keep(m);
                continue;
            }
            DBusMessage *r = dbus_message_new_method_return(m);
            dbus_connection_send(c, r, NULL);
            dbus_message_unref(r);
            if (dbus_message_is_method_call(m, "floor.Watch", "Fire")) fire(c, ++number);
        }
    return 0;
}
