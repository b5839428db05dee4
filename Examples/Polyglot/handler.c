#include <gio/gio.h> // A handler in C, with GDBus. It prints the URL and the text of each request, and answers.
#include <stdio.h>
static void open_url(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                     const char *member, GVariant *input, GDBusMethodInvocation *call, void *data) {
    g_autoptr(GVariant) context = NULL, value = NULL;
    g_autoptr(GVariantIter) items = NULL, item = NULL;
    const char *url, *text = "";
    g_variant_get(input, "(&s&s@a{sv})", NULL, &url, &context);
    if (g_variant_lookup(context, "items", "aa(sv)", &items) && g_variant_iter_next(items, "a(sv)", &item))
        if (g_variant_iter_next(item, "(sv)", NULL, &value)) text = g_variant_get_string(value, NULL);
    printf("%s\n%s\n", url, text), fflush(stdout);
    g_dbus_method_invocation_return_value(call, g_variant_new_parsed("('handled', {'items': <[[(%s, <%@s>)]]>})",
        "text/plain;charset=utf-8", g_variant_new_take_string(g_strconcat("C has: ", text, NULL))));
}
int main(void) {
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    GDBusNodeInfo *node = g_dbus_node_info_new_for_xml("<node><interface name='org.swiftipc.URLHandler1'>"
        "<method name='OpenURL'><arg type='s'/><arg type='s'/><arg type='a{sv}'/>"
        "<arg type='s' direction='out'/><arg type='a{sv}' direction='out'/></method></interface></node>", NULL);
    if (!bus || !g_dbus_connection_register_object( // first the object, then the name, then the scheme
            bus, "/demo/polyglot/C", *node->interfaces, &(GDBusInterfaceVTable){.method_call = open_url}, 0, 0, NULL)
        || !g_dbus_connection_call_sync(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "RequestName", g_variant_new("(su)", "demo.polyglot.C", 4), NULL, 0, -1, NULL, NULL)
        || !g_dbus_connection_call_sync(bus, "org.swiftipc.Broker1", "/org/swiftipc/Broker1", "org.swiftipc.Schemes1",
            "Register", g_variant_new_parsed("('demo.polyglot.C', ['polyglot.c'], @a{sv} {})"), 0, 0, -1, NULL, NULL))
        return fprintf(stderr, "there is no bus or no broker, or the name is taken\n"), 69;
    puts("listening as demo.polyglot.C for polyglot.c"), fflush(stdout);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
