// GLib's checksums (Debian: libglib2.0-dev).
#pragma once
#include <glib.h>
