import IPCTesting
import Testing

/// A sandboxed program's link goes through xdg-desktop-portal, here the real one with its GTK backend, and reaches the
/// handler unchanged.
@Suite(.privateBus)
struct PortalTests {
    private static let urls = ["Links.example://host/path?key=value&x=%E6%97%A5#part", "lInKs.Example:with a blank"]

    /// A program that sends a URL to the portal as a sandboxed program does, waits for the answer, and prints it.
    private static let caller = #"""
        import sys
        import dbus
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus, loop = dbus.SessionBus(), GLib.MainLoop()
        place = "/org/freedesktop/portal/desktop"
        handle = "%s/request/%s/test" % (place, bus.get_unique_name()[1:].replace(".", "_"))

        def respond(word, results):
            print(word)
            loop.quit()

        bus.add_signal_receiver(respond, "Response", "org.freedesktop.portal.Request", path=handle)
        portal = bus.get_object("org.freedesktop.portal.Desktop", place)
        portal.OpenURI("", sys.argv[1], {"handle_token": "test"}, dbus_interface="org.freedesktop.portal.OpenURI")
        loop.run()
        """#

    /// Lets the bus start the portal, its backend and its permission store, in a desktop environment.
    private func addPortal(_ display: VirtualDisplay) async throws {
        let bus = try PrivateBus.current
        // Selects the portal's backend: since version 1.17 with this file, before that with XDG_CURRENT_DESKTOP.
        try bus.directory.makeDirectory("config/xdg-desktop-portal")
        try FileContents.write(
            "[preferred]\ndefault=gtk\n", to: bus.directory.appending("config/xdg-desktop-portal/portals.conf"))
        let variables = [
            "DISPLAY": display.name, "XDG_CURRENT_DESKTOP": "GNOME", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
            // GTK exits if it does not find the schemas of its settings.
            "XDG_DATA_DIRS": "\(bus.directory.appending("system-data")):/usr/share",
        ]
        _ = try await RunningProcess.run(
            "gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
                "--method", "org.freedesktop.DBus.UpdateActivationEnvironment",
                "{" + variables.map { "'\($0)': '\($1)'" }.joined(separator: ", ") + "}",
            ]
        ).succeeded()
        for (name, program) in [
            ("portal.Desktop", "xdg-desktop-portal"), ("impl.portal.PermissionStore", "xdg-permission-store"),
            ("impl.portal.desktop.gtk", "xdg-desktop-portal-gtk"),
        ] {
            try await bus.addService(name: "org.freedesktop.\(name)", exec: "/usr/libexec/\(program)")
        }
    }

    @Test func aLinkOpenedByThePortalReachesTheHandler() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let display = try await VirtualDisplay.start()
        try await addPortal(display)
        let claim = ["--application", "org.example.Links"]
        let handler = try await Tools.server(["--json", "--scheme", "Links.example"] + claim)
        _ = try await Tools.client(["scheme", "register", "Links.example", "--persistent"] + claim).succeeded()
        for url in Self.urls {
            let caller = try await PythonPeer.start(Self.caller, arguments: [url])
            let line = try #require(try await handler.nextLine())
            #expect(try JSONText.string("url", in: line) == url)
            #expect(try await caller.nextLine() == "0")
        }
        // The control: without the registration, the portal knows no handler, and its backend asks the user.
        _ = try await Tools.client(["scheme", "unregister", "--all"] + claim).succeeded()
        let caller = try await PythonPeer.start(Self.caller, arguments: [Self.urls[0]])
        _ = try await RunningProcess.run(
            "xdotool", ["search", "--sync", "--onlyvisible", "--class", "xdg-desktop-portal-gtk"],
            environment: bus.environment.merging(["DISPLAY": display.name]) { $1 }
        ).succeeded()
        #expect(caller.process.isRunning && caller.process.output.text.isEmpty)
        await display.end()
        withExtendedLifetime(broker) {}
    }
}
