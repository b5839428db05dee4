import IPCTesting
import Testing

/// A link that the desktop opens and that fails is reported in a notification; other failures are not.
@Suite(.privateBus)
struct FailedLinkTests {
    /// A program that shows notifications: it writes each to a pipe, on one line.
    private static let desktop = #"""
        import os, sys
        import dbus, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib

        DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()

        class Notifications(dbus.service.Object):
            @dbus.service.method("org.freedesktop.Notifications", out_signature="as")
            def GetCapabilities(self):
                return ["body", "body-markup"]

            @dbus.service.method("org.freedesktop.Notifications", in_signature="susssasa{sv}i", out_signature="u")
            def Notify(self, program, replaced, icon, summary, body, actions, hints, time):
                with open(sys.argv[1], "w") as pipe:
                    pipe.write("\t".join([program, summary, body]).replace("\n", "|") + "\n")
                return 1

        service = Notifications(bus, "/org/freedesktop/Notifications")
        name = dbus.service.BusName("org.freedesktop.Notifications", bus)
        GLib.MainLoop().run()
        """#

    /// Lets the bus start the program.
    /// - Returns: the notifications, as lines.
    private func addDesktop() async throws -> RunningProcess {
        let bus = try PrivateBus.current
        let (script, pipe) = (bus.directory.appending("notifications.py"), bus.directory.appending("shown"))
        try FileContents.write(Self.desktop, to: script)
        _ = try await RunningProcess.run("mkfifo", [pipe]).succeeded()
        let shown = try await RunningProcess.start("sh", ["-c", "exec cat <>\(pipe)"], input: .none)
        try await bus.addService(
            name: "org.freedesktop.Notifications", exec: "/usr/bin/python3 -u -B \(script) \(pipe)")
        return shown
    }

    private func click(_ url: String) async throws {
        _ = try await RunningProcess.run("gio", ["open", url]).succeeded()
    }

    @Test func aFailedClickIsShownWithTheCommandThatShowsMore() async throws {
        let broker = try await BrokerProcess.start()
        let shown = try await addDesktop()
        _ = try await Tools.client(["handle", "notes", "--exec", "case $IPC_URL in *:no*) exit 3;; esac"]).succeeded()
        // The control: a click that is handled shows nothing, so the first notification is about the second click.
        try await click("notes:yes")
        try await click("notes:no&<b>")
        let line = try await shown.nextLine()
        let id = try #require(try await Tools.ids(["--state", "failed"]).first)
        #expect(
            line
                == "ipc-client\tProblem with the link notes:no&<b>\torg.swiftipc.handle.notes failed: the command exited "
                + "with code 3 (exit-3)|'ipc-client request show \(id)' shows more")
        withExtendedLifetime(broker) {}
    }

    @Test func aClickThatNoProgramGetsNamesTheDoctor() async throws {
        let broker = try await BrokerProcess.start()
        let shown = try await addDesktop()
        _ = try await Tools.client(["scheme", "register", "notes", "--application", "org.example.N", "--persistent"])
            .succeeded()
        try await click("notes:a&<b>")
        let line = try #require(try await shown.nextLine())
        #expect(line.hasSuffix("|'ipc-client doctor' looks for the cause") && line.contains("org.example.N"), "\(line)")
        withExtendedLifetime(broker) {}
    }

    /// Programs read the exit code, and the user of a terminal reads standard error.
    @Test func programsAndTerminalsGetNoNotification() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let shown = try await addDesktop()
        _ = try await Tools.client(["handle", "notes", "--exec", "exit 3"]).succeeded()
        #expect(try await Tools.client(["open", "notes:program"]).status == .exited(70))
        #expect(try await Tools.client(["send", "--url", "notes:program", "x"]).status == .exited(70))
        let client = try Binaries.path("ipc-client")
        // script(1) runs a command on a terminal.
        let terminal = try await RunningProcess.run(
            "script", ["-qec", "\(client) open --notify notes:terminal", "/dev/null"], environment: bus.environment)
        #expect(terminal.status == .exited(70) && terminal.output.contains("exit-3"), "\(terminal)")
        #expect(try await !bus.hasOwner("org.freedesktop.Notifications"))
        // The control: the same failure after a click is shown.
        try await click("notes:click")
        #expect(try await shown.nextLine()?.contains("notes:click") ?? false)
        withExtendedLifetime(broker) {}
    }

    /// The desktop reads markup, which a link must not bring.
    @Test func aLinkBringsNoMarkup() async throws {
        let shown = try await addDesktop()
        #expect(try await Tools.client(["open", "--notify", "notes:<b>&\u{7}"]).status == .exited(65))
        let line = try #require(try await shown.nextLine())
        let body = try #require(line.split(separator: "\t").last)
        #expect(body.contains("notes:&lt;b>&amp;") && !body.contains("<"), "\(line)")
    }

    @Test func aDesktopWithoutNotificationsChangesNothing() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["handle", "notes", "--exec", "exit 3"]).succeeded()
        let opened = try await Tools.client(["open", "--notify", "notes:"])
        #expect(opened.status == .exited(70) && opened.errors.contains("exit-3"), "\(opened)")
        withExtendedLifetime(broker) {}
    }
}
