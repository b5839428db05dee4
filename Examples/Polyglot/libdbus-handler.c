#include "libdbus-item.h" // A handler in C, with libdbus. It prints the URL and the text of each request, and answers.
static DBusHandlerResult open_url(DBusConnection *bus, DBusMessage *call, void *data) {
    if (!dbus_message_has_signature(call, "ssa{sv}")) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    const char *url, *text = "", *outcome = "handled", *none;
    DBusMessageIter in[8], out[8];
    dbus_message_iter_init(call, in), dbus_message_iter_next(in), dbus_message_iter_get_basic(in, &url);
    dbus_message_iter_next(in), read_item(in, &none, &text), printf("%s\n%s\n", url, text), fflush(stdout);
    char reply[strlen(text) + 16];
    DBusMessage *answer = dbus_message_new_method_return(call);
    sprintf(reply, "LibDBus has: %s", text), dbus_message_iter_init_append(answer, out);
    dbus_message_iter_append_basic(out, 's', &outcome), write_item(out, reply), dbus_connection_send(bus, answer, NULL);
    return dbus_message_unref(answer), DBUS_HANDLER_RESULT_HANDLED;
}
int main(void) {
    const char *name = "demo.polyglot.LibDBus", *schemes[] = {"polyglot.libdbus"}, **all = schemes;
    DBusConnection *bus = dbus_bus_get(DBUS_BUS_SESSION, NULL);
    DBusMessageIter input, options;
    DBusMessage *call = dbus_message_new_method_call(
        "org.swiftipc.Broker1", "/org/swiftipc/Broker1", "org.swiftipc.Schemes1", "Register");
    dbus_message_append_args(call, 's', &name, 'a', 's', &all, 1, 0), dbus_message_iter_init_append(call, &input);
    dbus_message_iter_open_container(&input, 'a', "{sv}", &options);
    DBusObjectPathVTable object = {.message_function = open_url}; // the order matters: object, name, scheme
    if (!dbus_message_iter_close_container(&input, &options) || !bus
        || !dbus_connection_register_object_path(bus, "/demo/polyglot/LibDBus", &object, NULL)
        || dbus_bus_request_name(bus, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) != 1
        || !dbus_connection_send_with_reply_and_block(bus, call, -1, NULL)) return 69;
    puts("listening as demo.polyglot.LibDBus for polyglot.libdbus");
    do fflush(stdout); while (dbus_connection_read_write_dispatch(bus, -1));
}
