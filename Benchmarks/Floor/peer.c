// Method calls with libdbus, peer to peer without a bus: peer server PATH | peer client PATH COUNT BYTES WINDOW
#include "common.h"
#include <poll.h>

static DBusConnection *peer;
static DBusWatch *listening;

static void accepted(DBusServer *s, DBusConnection *c, void *d) {
    (void)s;
    (void)d;
    peer = dbus_connection_ref(c);
}
static dbus_bool_t watch(DBusWatch *w, void *d) {
    (void)d;
    listening = w;
    return TRUE;
}
static void unwatch(DBusWatch *w, void *d) {
    (void)w;
    (void)d;
}

/// Serves one connection at a time, until the process is killed.
static int serve(const char *address) {
    DBusError e;
    dbus_error_init(&e);
    DBusServer *s = dbus_server_listen(address, &e);
    if (!s) die("listen", &e);
    dbus_server_set_watch_functions(s, watch, unwatch, unwatch, 0, 0);
    dbus_server_set_new_connection_function(s, accepted, 0, 0);
    ready();
    for (;; peer = NULL) {
        while (!peer) {
            struct pollfd p = {dbus_watch_get_unix_fd(listening), POLLIN, 0};
            poll(&p, 1, -1);
            dbus_watch_handle(listening, DBUS_WATCH_READABLE);
        }
        dbus_connection_set_exit_on_disconnect(peer, FALSE);
        while (dbus_connection_read_write(peer, -1))
            for (DBusMessage *m; (m = dbus_connection_pop_message(peer)); dbus_message_unref(m))
                if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
                    DBusMessage *r = dbus_message_new_method_return(m);
                    dbus_connection_send(peer, r, 0);
                    dbus_message_unref(r);
                }
        dbus_connection_unref(peer);
    }
    return 0;
}

int main(int argc, char **argv) {
    DBusError e;
    dbus_error_init(&e);
    char address[4200];
    if (argc < 3) {
        fprintf(stderr, "usage: peer server|client PATH ...\n");
        return 64;
    }
    snprintf(address, sizeof address, "unix:path=%s", argv[2]);
    if (!strcmp(argv[1], "server")) return serve(address);
    DBusConnection *c = dbus_connection_open_private(address, &e);
    if (!c) die("open", &e);
    dbus_connection_set_exit_on_disconnect(c, FALSE);
    int count = atoi(argv[3]), size = atoi(argv[4]), window = atoi(argv[5]);
    unsigned char *bytes = calloc(1, size + 1);
    double *took = calloc(count + 1, sizeof *took), start = now(), sent_at = start;
    for (int sent = 0, answered = 0; answered < count;) {
        for (; sent < count && sent - answered < window; sent++) {
            sent_at = now();
            DBusMessage *m = dbus_message_new_method_call(NULL, "/", "floor.Echo", "Echo");
            dbus_message_append_args(m, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, size, DBUS_TYPE_INVALID);
            dbus_connection_send(c, m, NULL);
            dbus_message_unref(m);
        }
        dbus_connection_read_write(c, -1);
        for (DBusMessage *r; (r = dbus_connection_pop_message(c)); dbus_message_unref(r))
            if (dbus_message_get_type(r) == DBUS_MESSAGE_TYPE_METHOD_RETURN) took[answered++] = now() - sent_at;
    }
    double all = now() - start, p50 = window == 1 ? median(took, count) * 1e6 : 0;
    printf("{\"count\": %d, \"seconds\": %f, \"rate\": %.1f, \"p50\": %.2f}\n", count, all, count / all, p50);
    return 0;
}
