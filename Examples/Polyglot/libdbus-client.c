// A client in C, with libdbus: libdbus-client URL TEXT
#include "libdbus-item.h"

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: %s URL TEXT\n", words[0]), 64;
    const char *outcome = "", *text = NULL;
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_bus_get(DBUS_BUS_SESSION, &error);
    DBusMessage *answer = NULL, *call = dbus_message_new_method_call(
        "org.swiftipc.Broker1", "/org/swiftipc/Broker1", "org.swiftipc.URLs1", "OpenURL");
    DBusMessageIter input[8], output[8];
    dbus_message_iter_init_append(call, input);
    dbus_message_iter_append_basic(input, DBUS_TYPE_STRING, &words[1]), write_item(input, words[2]);
    if (bus) answer = dbus_connection_send_with_reply_and_block(bus, call, 30000, &error);
    if (!answer) return fprintf(stderr, "%s\n", error.message), 1; // no handler was called
    dbus_message_iter_init(answer, output), read_item(output, &outcome, &text);
    if (strcmp(outcome, "handled") != 0) return fprintf(stderr, "%s\n", outcome), 1;
    if (text) puts(text);
    return 0;
}
