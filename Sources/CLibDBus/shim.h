// libdbus-1, as Swift sees it. Swift cannot import the casts behind DBUS_TYPE_* nor variadic functions;
// IPCDBus spells type codes as ASCII characters (D-Bus specification, "Summary of types") and uses
// message iterators only, so nothing else is needed here.
#pragma once
#include <dbus/dbus.h>
