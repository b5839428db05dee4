// A client in C, with GDBus: client URL TEXT
#include <gio/gio.h>
#include <stdio.h>

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: %s URL TEXT\n", words[0]), 64;
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusConnection) bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    GVariant *input = g_variant_new_parsed(
        "(%s, {'items': <[[('text/plain;charset=utf-8', <%s>)]]>})", words[1], words[2]);
    g_autoptr(GVariant) answer = !bus ? NULL : g_dbus_connection_call_sync(
        bus, "org.swiftipc.Broker1", "/org/swiftipc/Broker1", "org.swiftipc.URLs1", "OpenURL", input,
        G_VARIANT_TYPE("(a{sv})"), 0, 30000, NULL, &error);
    if (!answer) return fprintf(stderr, "%s\n", error->message), 1; // no handler was called
    g_autoptr(GVariant) result = g_variant_get_child_value(answer, 0), value = NULL;
    g_autoptr(GVariantIter) items = NULL, item = NULL;
    const char *outcome = "";
    g_variant_lookup(result, "outcome", "&s", &outcome);
    if (g_strcmp0(outcome, "handled") != 0) return fprintf(stderr, "%s\n", outcome), 1;
    if (g_variant_lookup(result, "items", "aa(sv)", &items) && g_variant_iter_next(items, "a(sv)", &item))
        if (g_variant_iter_next(item, "(sv)", NULL, &value)) puts(g_variant_get_string(value, NULL));
    return 0;
}
