#!/usr/bin/python3
# A handler in Python, with dbus-python. It prints the URL and the text of each request, and answers.
import signal
import dbus, dbus.mainloop.glib, dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()

class Handler(dbus.service.Object):
    @dbus.service.method("org.swiftipc.URLHandler1", "ssa{sv}", "sa{sv}", sender_keyword="sender")
    def OpenURL(self, id, url, context, sender):
        if sender != bus.get_name_owner("org.swiftipc.Broker1"):
            raise dbus.DBusException("not the broker", name="org.freedesktop.DBus.Error.AccessDenied")
        text = context["items"][0][0][1] if context.get("items") else ""
        print(url, text, sep="\n", flush=True)
        reply = [[("text/plain;charset=utf-8", f"Python has: {text}")]]
        return "handled", {"items": dbus.Array(reply, signature="a(sv)")}

    @dbus.service.method("org.swiftipc.URLHandler1", "s")
    def CancelURL(self, id): pass  # answers are immediate, so there is nothing to cancel

handler = Handler(bus, "/demo/polyglot/Python")  # the order matters: object, name, scheme
name = dbus.service.BusName("demo.polyglot.Python", bus, do_not_queue=True)
schemes = dbus.Interface(bus.get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1"), "org.swiftipc.Schemes1")
schemes.Register("demo.polyglot.Python", ["polyglot.python"], dbus.Dictionary(signature="sv"))
print("listening as demo.polyglot.Python for polyglot.python", flush=True)
signal.signal(signal.SIGINT, signal.SIG_DFL)
GLib.MainLoop().run()
