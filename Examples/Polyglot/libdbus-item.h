// Write and read the first value of the first item in a dictionary, with libdbus's iterators.
#include <dbus/dbus.h>
#include <stdio.h>
#include <string.h>
// Each iterator is inside the previous one: dictionary, entry, variant, items, item, value, variant.
static void write_item(DBusMessageIter at[8], const char *text) {
    const char *key = "items", *type = "text/plain;charset=utf-8";
    const char *content[] = {"{sv}", NULL, "aa(sv)", "a(sv)", "(sv)", NULL, "s"};
    for (int i = 0; i < 7; i++) {
        if (i == 2) dbus_message_iter_append_basic(at + i, DBUS_TYPE_STRING, &key);
        if (i == 6) dbus_message_iter_append_basic(at + i, DBUS_TYPE_STRING, &type);
        dbus_message_iter_open_container(at + i, "aevaarv"[i], content[i], at + i + 1);
    }
    dbus_message_iter_append_basic(at + 7, DBUS_TYPE_STRING, &text);
    for (int i = 6; i >= 0; i--) dbus_message_iter_close_container(at + i, at + i + 1);
}
static void read_item(DBusMessageIter at[8], const char **outcome, const char **text) {
    const char *key;
    dbus_message_iter_recurse(at, at + 1);
    for (int i; dbus_message_iter_get_arg_type(at + 1); dbus_message_iter_next(at + 1)) {
        dbus_message_iter_recurse(at + 1, at + 2), dbus_message_iter_get_basic(at + 2, &key);
        dbus_message_iter_next(at + 2), dbus_message_iter_recurse(at + 2, at + 3);
        if (strcmp(key, "outcome") == 0) dbus_message_iter_get_basic(at + 3, outcome);
        if (strcmp(key, "items") != 0) continue;
        for (i = 3; i < 6 && dbus_message_iter_get_arg_type(at + i); i++) dbus_message_iter_recurse(at + i, at + i + 1);
        if (i < 6 || !dbus_message_iter_next(at + 6)) continue;
        dbus_message_iter_recurse(at + 6, at + 7), dbus_message_iter_get_basic(at + 7, text);
    }
}
