// Passes messages like the broker for a request to open a URL, but stores nothing: relay NAME TARGET owns NAME, forwards
// each call to TARGET, and returns the answer.
#include "common.h"

#define SLOTS (1 << 20)
static dbus_uint32_t serial_of[SLOTS];
static char sender_of[SLOTS][16];

int main(int argc, char **argv) {
    DBusError e;
    dbus_error_init(&e);
    if (argc != 3) {
        fprintf(stderr, "usage: relay NAME TARGET\n");
        return 64;
    }
    DBusConnection *c = dbus_bus_get(DBUS_BUS_SESSION, &e);
    if (!c || dbus_bus_request_name(c, argv[1], 0, &e) < 0) die("bus", &e);
    ready();
    while (dbus_connection_read_write(c, -1))
        for (DBusMessage *m; (m = dbus_connection_pop_message(c)); dbus_message_unref(m)) {
            int type = dbus_message_get_type(m);
            if (type == DBUS_MESSAGE_TYPE_METHOD_CALL) {
                DBusMessage *onward = dbus_message_copy(m);
                dbus_uint32_t serial;
                dbus_message_set_destination(onward, argv[2]);
                dbus_message_set_sender(onward, NULL);
                dbus_connection_send(c, onward, &serial);
                dbus_message_unref(onward);
                serial_of[serial % SLOTS] = dbus_message_get_serial(m);
                strncpy(sender_of[serial % SLOTS], dbus_message_get_sender(m), 15);
            } else if (type == DBUS_MESSAGE_TYPE_METHOD_RETURN) {
                unsigned slot = dbus_message_get_reply_serial(m) % SLOTS;
                if (!sender_of[slot][0]) continue;
                DBusMessage *back = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN);
                dbus_message_set_reply_serial(back, serial_of[slot]);
                dbus_message_set_destination(back, sender_of[slot]);
                dbus_connection_send(c, back, NULL);
                dbus_message_unref(back);
            }
        }
    return 0;
}
