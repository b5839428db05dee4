// GIO finds and starts desktop entries, by its own rules and those of the desktop (Debian: libglib2.0-dev).
#pragma once
#include <gio/gio.h>
// The path leads to the folder of gio-unix-2.0: SwiftPM warns about flags of that pkg-config file, and drops them.
#include <../gio-unix-2.0/gio/gdesktopappinfo.h>
