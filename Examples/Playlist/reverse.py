#!/usr/bin/python3
# Reverses a list: reverse.py LIST. Python keeps integers of any size exact, whether they are strings or JSON numbers.
import json
import sys
import dbus


def reverse(name):
    bus, interface = dbus.SessionBus(), "org.swiftipc.Pasteboard1"
    broker = bus.get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1")
    path = broker.GetPasteboard(name, {}, dbus_interface="org.swiftipc.Pasteboards1")
    board = dbus.Interface(bus.get_object("org.swiftipc.Broker1", path), interface)

    count, items, facts = board.GetItems({})
    value = dict(items[0])["application/json"]
    playlist = json.loads(value if isinstance(value, str) else bytes(value))
    playlist["entries"].reverse()
    # Write only if no other program has changed the list in the meantime. The change count keeps its D-Bus type, UInt64.
    turned = [[("application/json", json.dumps(playlist, ensure_ascii=False))]]
    board.SetItems(turned, {"if-change-count": count}, signature="aa(sv)a{sv}")


if len(sys.argv) != 2:
    sys.exit("usage: reverse.py LIST")
name = "com.example.Playlist." + sys.argv[1]
try:
    reverse(name)
except dbus.DBusException as error:
    missing = error.get_dbus_name().endswith("NoSuchPasteboard")
    sys.exit("reverse.py: " + (f"there is no pasteboard “{name}”" if missing else error.get_dbus_message()))
except (AttributeError, LookupError, TypeError, ValueError):
    sys.exit(f"reverse.py: the pasteboard “{name}” does not contain a list")
