// The D-Bus reference implementation. It opens the connections that IPCDBus cannot open itself (Debian: libdbus-1-dev).
#pragma once
#if !__has_include(<dbus/dbus.h>)
#error "swift-ipc needs libdbus, which it finds with pkg-config. On Debian: sudo apt install libdbus-1-dev pkg-config"
#endif
#include <dbus/dbus.h>

// Whether descriptors can be sent. DBUS_TYPE_UNIX_FD is a macro with a cast, which Swift does not import.
static inline dbus_bool_t clibdbus_passes_descriptors(DBusConnection *connection) {
    return dbus_connection_can_send_type(connection, DBUS_TYPE_UNIX_FD);
}
