#!/usr/bin/python3
# The same frames in Python: frames.py NAME prints them with all their bits (float.hex), and
# frames.py NAME X,Y,WIDTH,HEIGHT... replaces them. A Python float is a double, as in Swift, and repr writes the fewest
# digits that identify it, so every number survives in both directions.
import json
import math
import os
import sys
import dbus

if len(sys.argv) < 2:
    print("usage: frames.py NAME [X,Y,WIDTH,HEIGHT...]", file=sys.stderr)
    sys.exit(os.EX_USAGE)
bus, interface = dbus.SessionBus(), "org.swiftipc.Pasteboard1"
broker = bus.get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1")
options = dbus.Dictionary({"create": len(sys.argv) > 2}, signature="sv")
try:
    if len(sys.argv) > 2:
        frames = [[float(number) for number in text.split(",")] for text in sys.argv[2:]]
        if not all(len(frame) == 4 and not any(map(math.isnan, frame)) for frame in frames):
            raise ValueError("a frame consists of four numbers: X,Y,WIDTH,HEIGHT")
        # A CGRect is an array of its origin and its size. Strings, because JSON has no infinity.
        texts = [[[repr(x), repr(y)], [repr(width), repr(height)]] for x, y, width, height in frames]
    path = broker.GetPasteboard(
        "com.example.WindowFrames." + sys.argv[1], options, dbus_interface="org.swiftipc.Pasteboards1")
    board = dbus.Interface(bus.get_object("org.swiftipc.Broker1", path), interface)
    if len(sys.argv) > 2:
        board.SetItems([[("application/json", json.dumps({"frames": texts}))]], {}, signature="aa(sv)a{sv}")
    else:
        count, items, facts = board.GetItems({})
        value = dict(items[0])["application/json"]
        for origin, size in json.loads(value if isinstance(value, str) else bytes(value))["frames"]:
            print(*[float(number).hex() for number in origin + size])
except (ValueError, IndexError, KeyError) as error:
    print("frames.py:", error, file=sys.stderr)
    sys.exit(os.EX_DATAERR)
except dbus.DBusException as error:
    print("frames.py:", error.get_dbus_message(), file=sys.stderr)
    sys.exit(os.EX_NOINPUT if error.get_dbus_name().endswith("NoSuchPasteboard") else os.EX_UNAVAILABLE)
