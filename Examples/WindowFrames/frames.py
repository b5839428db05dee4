#!/usr/bin/python3
# The same frames in Python: frames.py NAME prints them with all their bits (float.hex), and
# frames.py NAME X,Y,WIDTH,HEIGHT... replaces them. A Python float is a double, as in Swift, and repr writes the fewest
# digits that identify it, so every number survives in both directions.
import json
import math
import os
import re
import sys
import dbus


def number(text):
    # As in Swift: decimal digits or inf, but no number that is too large. Python alone also reads 1_000 and Infinity.
    value = float(text) if re.fullmatch("[-+.0-9eE]+|-?inf", text) else math.nan
    if math.isnan(value) or math.isinf(value) != text.endswith("inf"):
        raise ValueError(f"“{text}” is not a number")
    return value


def array(value, count=None):
    if not isinstance(value, list) or count not in (None, len(value)):
        raise ValueError("the JSON must have an array of frames [[x, y], [width, height]]")
    return value


if len(sys.argv) < 2:
    print("usage: frames.py NAME [X,Y,WIDTH,HEIGHT...]", file=sys.stderr)
    sys.exit(os.EX_USAGE)
bus, interface = dbus.SessionBus(), "org.swiftipc.Pasteboard1"
broker = bus.get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1")
options = dbus.Dictionary({"create": len(sys.argv) > 2}, signature="sv")
try:
    if len(sys.argv) > 2:
        frames = [[number(word) for word in text.split(",")] for text in sys.argv[2:]]
        if not all(len(frame) == 4 for frame in frames):
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
        text = value if isinstance(value, str) else bytes(value)
        # A JSON number stays a text, so that one rule decides about both.
        content = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
        frames = [
            [number(text) for pair in array(frame, 2) for text in array(pair, 2)] for frame in array(content["frames"])]
        for frame in frames:
            print(*map(float.hex, frame))
except (ValueError, IndexError, KeyError, TypeError) as error:
    print("frames.py:", error, file=sys.stderr)
    sys.exit(os.EX_DATAERR)
except dbus.DBusException as error:
    missing = error.get_dbus_name().endswith("NoSuchPasteboard")
    print("frames.py:", "there are no frames under this name" if missing else error.get_dbus_message(), file=sys.stderr)
    sys.exit(os.EX_NOINPUT if missing else os.EX_UNAVAILABLE)
