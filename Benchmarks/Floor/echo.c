// One D-Bus method call in plain C with libdbus.
//   echo server NAME                              owns NAME and answers every call with an empty return
//   echo client NAME COUNT BYTES WINDOW [wait]    calls NAME with WINDOW calls in flight; prints one line of JSON
//   echo once NAME                                makes one call and exits, to measure a whole process
#include "common.h"

static DBusConnection *bus(void) {
    DBusError e;
    dbus_error_init(&e);
    DBusConnection *c = dbus_bus_get(DBUS_BUS_SESSION, &e);
    if (!c) die("bus", &e);
    return c;
}

static DBusMessage *call(const char *name, const unsigned char *bytes, int size) {
    DBusMessage *m = dbus_message_new_method_call(name, "/", "floor.Echo", "Echo");
    dbus_message_append_args(m, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, size, DBUS_TYPE_INVALID);
    return m;
}

static int serve(const char *name) {
    DBusConnection *c = bus();
    DBusError e;
    dbus_error_init(&e);
    if (dbus_bus_request_name(c, name, 0, &e) < 0) die("name", &e);
    ready();
    while (dbus_connection_read_write(c, -1))
        for (DBusMessage *m; (m = dbus_connection_pop_message(c)); dbus_message_unref(m))
            if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
                DBusMessage *r = dbus_message_new_method_return(m);
                dbus_connection_send(c, r, NULL);
                dbus_message_unref(r);
            }
    return 0;
}

static void one_at_a_time(DBusConnection *c, const char *name, const unsigned char *bytes, int size, int count,
                          double *took) {
    DBusError e;
    dbus_error_init(&e);
    for (int i = 0; i < count; i++) {
        double start = now();
        DBusMessage *m = call(name, bytes, size), *r = dbus_connection_send_with_reply_and_block(c, m, -1, &e);
        if (!r) die("call", &e);
        dbus_message_unref(m);
        dbus_message_unref(r);
        took[i] = now() - start;
    }
}

static void in_flight(DBusConnection *c, const char *name, const unsigned char *bytes, int size, int count, int window) {
    for (int sent = 0, answered = 0; answered < count;) {
        for (; sent < count && sent - answered < window; sent++) {
            DBusMessage *m = call(name, bytes, size);
            dbus_connection_send(c, m, NULL);
            dbus_message_unref(m);
        }
        dbus_connection_read_write(c, -1);
        for (DBusMessage *r; (r = dbus_connection_pop_message(c)); dbus_message_unref(r))
            answered += dbus_message_get_type(r) == DBUS_MESSAGE_TYPE_METHOD_RETURN;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: echo server|client|once NAME ...\n");
        return 64;
    }
    const char *name = argv[2];
    if (!strcmp(argv[1], "server")) return serve(name);
    DBusConnection *c = bus();
    double once;
    if (!strcmp(argv[1], "once")) {
        unsigned char bytes[16] = {0};
        one_at_a_time(c, name, bytes, sizeof bytes, 1, &once);
        return 0;
    }
    int count = atoi(argv[3]), size = atoi(argv[4]), window = atoi(argv[5]);
    unsigned char *bytes = calloc(1, size + 1);
    double *took = calloc(count, sizeof *took), p50 = 0;
    one_at_a_time(c, name, bytes, size, 1, &once); // the first call is not measured
    if (argc > 6) {
        ready();
        getchar();
    }
    double start = now();
    if (window == 1) one_at_a_time(c, name, bytes, size, count, took);
    else in_flight(c, name, bytes, size, count, window);
    double all = now() - start;
    if (window == 1) p50 = median(took, count) * 1e6;
    printf("{\"count\": %d, \"seconds\": %f, \"rate\": %.1f, \"p50\": %.2f}\n", count, all, count / all, p50);
    return 0;
}
