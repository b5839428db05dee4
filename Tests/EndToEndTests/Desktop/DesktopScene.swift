import IPCTesting

/// A broker, and desktop programs that its private bus knows only by their desktop entries.
struct DesktopScene: Sendable {
    let broker: BrokerProcess
    let bus: PrivateBus
    /// The output of the programs, line by line.
    let log: RunningProcess

    /// - Parameter executable: a broker other than `ipc-broker`.
    static func start(
        _ arguments: [String] = [], executable: String? = nil, environment: [String: String] = [:]
    ) async throws -> DesktopScene {
        let bus = try PrivateBus.current
        _ = try bus.directory.makeDirectory("data/applications")
        let log = bus.directory.appending("desktop.log")
        try FileContents.write("", to: log)
        var settings = BrokerProcess.Settings()
        (settings.arguments, settings.executable, settings.environment) = (arguments, executable, environment)
        return DesktopScene(
            broker: try await BrokerProcess.start(settings), bus: bus,
            log: try await RunningProcess.start("tail", ["-n", "+1", "-f", log], input: .none))
    }

    /// Writes a desktop entry and makes it the default for a scheme, as the desktop's settings do.
    func addEntry(_ id: String, scheme: String, _ lines: String...) throws {
        let text =
            ["[Desktop Entry]", "Type=Application", "Name=\(id)", "MimeType=x-scheme-handler/\(scheme);"] + lines
        try FileContents.write(
            text.joined(separator: "\n") + "\n", to: bus.directory.appending("data/applications/\(id)"))
        try FileContents.write(
            "[Default Applications]\nx-scheme-handler/\(scheme)=\(id)\n",
            to: bus.directory.appending("config/mimeapps.list"))
    }

    /// Adds a program that is started with the URL and logs the URL, its own activation token and its descriptor limit.
    func addStartedProgram(scheme: String) throws {
        let script = bus.directory.appending("started.py")
        try FileContents.write(Self.started, to: script)
        try addEntry("org.example.Started.desktop", scheme: scheme, "Exec=/usr/bin/python3 \(script) %u")
    }

    /// Adds a program that accepts URLs over D-Bus, and that the bus starts on the first call.
    func addService(scheme: String) async throws {
        let script = bus.directory.appending("service.py")
        try FileContents.write(Self.service, to: script)
        try await bus.addService(name: "org.example.Service", exec: "/usr/bin/python3 -u -B \(script)")
        try addEntry(
            "org.example.Service.desktop", scheme: scheme, "Exec=/bin/false %u", "DBusActivatable=true")
    }

    /// Adds a portal, through which a sandboxed broker reaches the desktop: it accepts every URL that ends in `yes`.
    func addPortal() async throws {
        let script = bus.directory.appending("portal.py")
        try FileContents.write(Self.portal, to: script)
        try await bus.addService(
            name: "org.freedesktop.portal.Desktop", exec: "/usr/bin/python3 -u -B \(script)")
    }

    private static let portal = #"""
        import os
        import dbus, dbus.lowlevel, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        place = "/org/freedesktop/portal/desktop"

        def respond(handle, word, caller):
            answer = dbus.lowlevel.SignalMessage(handle, "org.freedesktop.portal.Request", "Response")
            answer.append(dbus.UInt32(word), dbus.Dictionary({}, signature="sv"), signature="ua{sv}")
            answer.set_destination(caller)
            bus.send_message(answer)

        class Portal(dbus.service.Object):
            @dbus.service.method("org.freedesktop.portal.OpenURI", in_signature="ssa{sv}", out_signature="o",
                                 sender_keyword="sender")
            def OpenURI(self, parent, url, options, sender=None):
                with open(os.environ["IPC_TEST_BUS_DIRECTORY"] + "/desktop.log", "a") as log:
                    log.write("portal\t" + url + "\n")
                handle = "%s/request/%s/%s" % (place, sender[1:].replace(".", "_"), options["handle_token"])
                GLib.idle_add(respond, handle, 0 if url.endswith("yes") else 2, sender)
                return dbus.ObjectPath(handle)

        portal = Portal(bus, place)
        name = dbus.service.BusName("org.freedesktop.portal.Desktop", bus)
        GLib.MainLoop().run()
        """#

    private static let started = #"""
        import os, resource, sys

        text = "\t".join(["started"] + sys.argv[1:] + [
            os.environ.get("XDG_ACTIVATION_TOKEN", "-"), os.environ.get("DESKTOP_STARTUP_ID", "-"),
            str(resource.getrlimit(resource.RLIMIT_NOFILE)[0])])
        with open(os.environ["IPC_TEST_BUS_DIRECTORY"] + "/desktop.log", "a") as log:
            log.write(text + "\n")
        """#

    /// A service that takes a moment before it answers, and then writes that it has done its work.
    private static let service = #"""
        import os
        import dbus, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()

        seen = set()

        def tell(*words):
            with open(os.environ["IPC_TEST_BUS_DIRECTORY"] + "/desktop.log", "a") as log:
                log.write("\t".join(words) + "\n")

        class Service(dbus.service.Object):
            @dbus.service.method("org.freedesktop.Application", in_signature="asa{sv}",
                                 async_callbacks=("answer", "refuse"))
            def Open(self, urls, data, answer, refuse):
                tell("asked", *urls, str(data.get("activation-token", "-")), str(data.get("desktop-startup-id", "-")))
                if urls[0].endswith("fail"):
                    return refuse(dbus.DBusException("it broke", name="org.example.Error.Broken"))
                if urls[0].endswith("leave"):
                    os._exit(1)
                if urls[0].endswith("forget") or urls[0].endswith("second") and urls[0] not in seen:
                    return seen.add(urls[0])
                def done():
                    tell("done", str(os.getpid()))
                    answer()
                GLib.timeout_add(50, done)

        service = Service(bus, "/org/example/Service")
        name = dbus.service.BusName("org.example.Service", bus)
        tell("running", str(os.getpid()))
        GLib.MainLoop().run()
        """#
}
