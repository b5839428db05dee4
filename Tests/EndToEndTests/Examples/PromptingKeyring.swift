import IPCTesting

/// A locked keyring that prompts, and a person who answers: the part of the Secret Service API that `install-id` uses.
enum PromptingKeyring {
    /// Starts the keyring, which prints `ready` and each prompt.
    /// - Parameter answer: `yes`; `no`, which dismisses the prompt; or `leave`, which exits instead of answering.
    static func start(answer: String) async throws -> PythonPeer {
        let peer = try await PythonPeer.start(script, arguments: [answer])
        try await peer.waitForLine("ready")
        return peer
    }

    private static let script = #"""
        import os, sys
        import dbus, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        locked, secrets = True, []
        SERVICE, COLLECTION = "org.freedesktop.Secret.Service", "org.freedesktop.Secret.Collection"
        ITEM, PROMPT = "org.freedesktop.Secret.Item", "org.freedesktop.Secret.Prompt"

        def paths(*given): return dbus.Array(given, signature="o")

        class Keyring(dbus.service.Object):
            @dbus.service.method(SERVICE, "sv", "vo")
            def OpenSession(self, algorithm, input):
                assert algorithm == "plain"
                return dbus.String("", variant_level=1), "/session"

            @dbus.service.method(SERVICE, "s", "o")
            def ReadAlias(self, name): return "/collection" if name == "default" else "/"

            @dbus.service.method(SERVICE, "a{ss}", "aoao")
            def SearchItems(self, attributes): return paths(*["/item"] * (not locked and len(secrets))), paths()

            @dbus.service.method(SERVICE, "ao", "aoo")
            def Unlock(self, objects): return paths(), "/prompt" if locked else "/"

        class Collection(dbus.service.Object):
            @dbus.service.method(COLLECTION, "a{sv}(oayays)b", "oo")
            def CreateItem(self, properties, secret, replace):
                assert not locked and secret[0] == "/session"
                secrets.append(secret)
                return "/item", "/"

        class Item(dbus.service.Object):
            @dbus.service.method(ITEM, "o", "(oayays)")
            def GetSecret(self, session): return secrets[-1]

        class Prompt(dbus.service.Object):
            @dbus.service.method(PROMPT, "s", "")
            def Prompt(self, window):
                global locked
                print("prompt", flush=True)
                if sys.argv[1] == "leave": os._exit(1)
                locked = sys.argv[1] != "yes"
                GLib.idle_add(self.Completed, locked, dbus.String("", variant_level=1))

            @dbus.service.signal(PROMPT, "bv")
            def Completed(self, dismissed, result): pass

        objects = [Keyring(bus, "/org/freedesktop/secrets"), Collection(bus, "/collection"), Item(bus, "/item"),
                   Prompt(bus, "/prompt")]
        name = dbus.service.BusName("org.freedesktop.secrets", bus)
        print("ready", flush=True)
        GLib.MainLoop().run()

        """#
}
