// GIO finds and starts desktop entries, by its own rules and those of the desktop (Debian: libglib2.0-dev).
#pragma once
#if !__has_include(<gio/gio.h>)
#error "swift-ipc needs GLib, which it finds with pkg-config. On Debian: sudo apt install libglib2.0-dev pkg-config"
#endif
#include <gio/gio.h>
// The path includes the folder, because SwiftPM drops the flags in gio-unix-2.0's pkg-config file, with a warning.
#include <../gio-unix-2.0/gio/gdesktopappinfo.h>
