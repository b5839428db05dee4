#!/usr/bin/python3
"""Does the same as "ipc-client send hello", with one D-Bus call from another language."""

import dbus

broker = dbus.Interface(
    dbus.SessionBus().get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1", introspect=False),
    "org.swiftipc.URLs1")
item = dbus.Array([dbus.Struct(("text/plain;charset=utf-8", "hello"), variant_level=0)], signature="(sv)")
result = broker.OpenURL(
    "IPCServer.demo://IPCServer.demo?key=value",
    dbus.Dictionary(
        {"items": dbus.Array([item], signature="a(sv)"), "pasteboard": "demo.IPCClient",
         "source-application": "demo.IPCClient"}, signature="sv"))
assert result["outcome"] == "handled", result
