// GIO's look-up and start of desktop entries, which are its own and the desktop's rule (Debian: libglib2.0-dev).
#pragma once
#include <gio/gio.h>
// Its folder is that of gio-unix-2.0, of which pkg-config tells flags that SwiftPM does not pass on, with a warning.
#include <../gio-unix-2.0/gio/gdesktopappinfo.h>
