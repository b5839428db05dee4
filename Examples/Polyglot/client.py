#!/usr/bin/python3
# A client in Python, with dbus-python: client.py URL TEXT
import sys
import dbus

url, text = sys.argv[1:]
broker = dbus.SessionBus().get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1")
items = dbus.Array([[("text/plain;charset=utf-8", text)]], signature="a(sv)", variant_level=1)
try:
    result = broker.OpenURL(url, {"items": items}, dbus_interface="org.swiftipc.URLs1", timeout=30)
except dbus.DBusException as error:  # no handler was called
    sys.exit(str(error))
if result["outcome"] != "handled":
    sys.exit(result["outcome"])
print(result["items"][0][0][1])
