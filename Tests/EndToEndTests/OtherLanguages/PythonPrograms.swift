/// Programs as written by someone who knows the contract but not this project: dbus-python and the GLib main loop.
enum PythonPrograms {
    private static let head = """
        import json, sys
        import dbus, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        BROKER = ("org.swiftipc.Broker1", "/org/swiftipc/Broker1")

        def plain(value):
            "Types of dbus-python as those of JSON; bytes as a list of numbers."
            if isinstance(value, dbus.Boolean):
                return bool(value)
            if isinstance(value, (dbus.ByteArray, bytes)):
                return list(value)
            if isinstance(value, dict):
                return {str(key): plain(content) for key, content in value.items()}
            if isinstance(value, (list, tuple)):
                return [plain(content) for content in value]
            return int(value) if isinstance(value, int) else str(value)

        def tell(**what):
            print(json.dumps(what), flush=True)

        def broker(interface):
            return dbus.Interface(bus.get_object(*BROKER), "org.swiftipc." + interface)


        """

    /// A handler whose arguments are its id and schemes. It prints each request, and replies with the text in capitals.
    static let handler =
        head + #"""
            class Handler(dbus.service.Object):
                @dbus.service.method("org.swiftipc.URLHandler1", in_signature="ssa{sv}", out_signature="sa{sv}",
                                     sender_keyword="sender")
                def OpenURL(self, id, url, context, sender=None):
                    if sender != bus.get_name_owner(BROKER[0]):
                        raise dbus.DBusException("not the broker", name="org.freedesktop.DBus.Error.AccessDenied")
                    tell(id=plain(id), url=plain(url), context=plain(context))
                    if url.endswith("?raise"):
                        raise dbus.DBusException("it broke", name="demo.Error.Broken")
                    if url.endswith("?decline"):
                        return "declined", {"error-code": "busy", "error-message": "not now"}
                    items = [[(type, value.upper() if isinstance(value, str) else value) for type, value in item]
                             for item in context.get("items", [])]
                    return "handled", {"items": dbus.Array(items, signature="a(sv)", variant_level=1)}

                @dbus.service.method("org.swiftipc.URLHandler1", in_signature="s")
                def CancelURL(self, id):
                    tell(cancelled=plain(id))

            application, schemes = sys.argv[1], sys.argv[2:]
            object = Handler(bus, "/" + application.replace(".", "/").replace("-", "_"))
            name = dbus.service.BusName(application, bus)
            if schemes:
                result = broker("Schemes1").Register(application, dbus.Array(schemes, signature="s"), {})
                tell(registered=plain(result))
            GLib.MainLoop().run()

            """#

    /// A client that reads one JSON object per line, `{"url": …, "text": …, "options": {…}}`, and prints the result.
    /// The optional argument is a bus name to own.
    static let client =
        head + #"""
            if len(sys.argv) > 1:
                name = dbus.service.BusName(sys.argv[1], bus)
            for line in sys.stdin:
                asked = json.loads(line)
                options = dbus.Dictionary(asked.get("options", {}), signature="sv")
                if "text" in asked:
                    values = [("text/plain;charset=utf-8", asked["text"]),
                              ("application/octet-stream", dbus.Array([0, 1, 255], signature="y"))]
                    options["items"] = dbus.Array([values], signature="a(sv)", variant_level=1)
                try:
                    tell(result=plain(broker("URLs1").OpenURL(asked["url"], options, timeout=30)))
                except dbus.DBusException as error:
                    tell(error=error.get_dbus_name(), message=error.get_dbus_message())

            """#

    /// A listener that prints every signal of the broker.
    static let listener =
        head + #"""
            def heard(*arguments, **facts):
                tell(member=facts["member"], path=str(facts["path"]), arguments=plain(arguments))

            bus.add_signal_receiver(heard, bus_name=BROKER[0], member_keyword="member", path_keyword="path")
            bus.get_name_owner(BROKER[0])
            tell(listening=True)
            GLib.MainLoop().run()

            """#
}
