import IPC
import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// URLs that no application has claimed go to the desktop's own handlers, which know nothing about this project.
@Suite(.privateBus)
struct DesktopHandlerTests {
    private static let url = #"Desk.example://a b/?q=%E6'日"&x=$(id);*#f"#

    private func open(_ url: String, _ arguments: String...) async throws -> ProcessOutput {
        try await Tools.client(["open"] + arguments + ["--", url])
    }

    @Test func `a D-Bus activatable program is started and called, and its answer is awaited, cold and warm`()
        async throws
    {
        let scene = try await DesktopScene.start()
        try await scene.addService(scheme: "desk.example")
        let cold = try await open(Self.url, "--json")
        #expect(cold.status == .success, "\(cold)")
        #expect(try JSONText.string("outcome", in: cold.output) == "delivered")
        #expect(try JSONText.string("application", in: cold.output) == "org.example.Service.desktop")
        let log = scene.bus.directory.appending("desktop.log")
        let first = try FileContents.text(log).split(separator: "\n").map(String.init)
        try #require(first.count == 3)
        #expect(first[1] == "asked\t\(Self.url)\t-\t-")
        // The client waited for the program's answer, so the program has finished its work by now.
        #expect(first[2].hasPrefix("done\t"))
        #expect(try await open("desk.example:again").status == .success)
        let second = try FileContents.text(log).split(separator: "\n").map(String.init)
        #expect(second.last == first.last && second.count == 5)
    }

    @Test func `a program without a bus name is started with the URL, byte for byte`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        let opened = try await open(Self.url, "--json")
        #expect(try JSONText.string("outcome", in: opened.succeeded().output) == "delivered")
        #expect(try await scene.log.nextLine() == "started\t\(Self.url)\t-\t-\t1024")
    }

    @Test func `nothing is queued for a desktop application, and the answer says why`() async throws {
        let scene = try await DesktopScene.start()
        let nobody = try await open(Self.url, "--queue")
        #expect(nobody.status == .exited(68) && nobody.errors.contains("no application handles"), "\(nobody)")
        try scene.addStartedProgram(scheme: "desk.example")
        let queued = try await open(Self.url, "--queue")
        #expect(queued.status == .exited(68))
        #expect(queued.errors.hasSuffix("accepts no queued requests; leave out --queue\n"))
        // The control: the same URL is opened if it is not queued.
        #expect(try await open(Self.url).status == .success)
    }

    @Test @DBusActor func `tokens are passed on, by D-Bus and in the environment`() async throws {
        let scene = try await DesktopScene.start()
        let client = try await BrokerClient()
        var options = OpenURLOptions()
        options.activationToken = "token-7"
        try scene.addStartedProgram(scheme: "desk.example")
        #expect(try await client.call(URLs1.openURL, ("desk.example:x", options)).outcome == "delivered")
        #expect(try await scene.log.nextLine() == "started\tdesk.example:x\ttoken-7\ttoken-7\t1024")
        try await scene.addService(scheme: "desk.example")
        #expect(try await client.call(URLs1.openURL, ("desk.example:y", options)).outcome == "delivered")
        try await scene.log.waitForLine { $0 == "asked\tdesk.example:y\ttoken-7\ttoken-7" }
    }

    @Test func `the outcome follows from the program's answer, or from its absence`() async throws {
        let scene = try await DesktopScene.start()
        try await scene.addService(scheme: "desk.example")
        let failed = try await open("desk.example:fail")
        #expect(failed.status == .exited(70) && failed.errors.contains("it broke"), "\(failed)")
        let forgotten = try await open("desk.example:forget", "--timeout", "1s")
        #expect(forgotten.status == .exited(75) && forgotten.errors.contains("may have handled the"), "\(forgotten)")
        let left = try await open("desk.example:leave")
        #expect(left.status == .exited(70), "\(left)")
        try await scene.bus.removeService(name: "org.example.Service")
        let absent = try await open("desk.example:x")
        #expect(absent.status == .exited(69) && absent.errors.contains("org.example.Service"), "\(absent)")
    }

    @Test func `a program that cannot be started is reported with the reason`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addEntry("org.example.Gone.desktop", scheme: "desk.example", "Exec=/bin/sh-that-is-not-there %u")
        // GIO itself skips an entry whose program is missing.
        #expect(try await open("desk.example:x").status == .exited(68))
        let file = scene.bus.directory.appending("no-program")
        try FileContents.write("neither a script nor a program\n", to: file, isProgram: true)
        try scene.addEntry("org.example.Odd.desktop", scheme: "desk.example", "Exec=\(file) %u", "Path=/nowhere")
        let odd = try await open("desk.example:x")
        #expect(odd.status == .exited(69), "\(odd)")
        // The error mentions the desktop entry once.
        #expect(odd.errors.ranges(of: "org.example.Odd.desktop").count == 1, "\(odd)")
    }

    @Test func `without any handler, a request is NoHandler, with or without a payload`() async throws {
        let scene = try await DesktopScene.start()
        #expect(try await open("desk.example:x").status == .exited(68))
        try await Tools.client(["set", "board"], input: .bytes(Array("hello".utf8))).succeeded()
        #expect(try await open("desk.example:x", "--pasteboard", "board").status == .exited(68))
        // The control: with a desktop entry for the scheme, the same command succeeds.
        try scene.addStartedProgram(scheme: "desk.example")
        #expect(try await open("desk.example:x").status == .success)
    }

    @Test func `requests with a payload, a queue or a pinned handler are not sent to the desktop`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        try await Tools.client(["set", "board"], input: .bytes(Array("hello".utf8))).succeeded()
        let payload = try await open("desk.example:payload", "--pasteboard", "board")
        #expect(payload.status == .exited(65) && payload.errors.contains("org.example.Started.desktop"), "\(payload)")
        #expect(try await open("desk.example:queued", "--queue").status == .exited(68))
        #expect(try await open("desk.example:pinned", "--to", "org.example.Started").status == .exited(69))
        #expect(try await open("desk.example:last").status == .success)
        #expect(try await scene.log.nextLine()?.hasPrefix("started\tdesk.example:last\t") == true)
    }

    @Test func `a claim precedes the desktop's handler, and the broker's own entries cause no loop`()
        async throws
    {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "ipcserver.demo")
        let server = try await Tools.server()
        #expect(try await open("IPCServer.demo:claimed").status == .success)
        #expect(try await server.nextLine()?.contains("IPCServer.demo:claimed") == true)
        #expect(try await server.terminate() == .success)
        let client = try Binaries.path("ipc-client")
        try scene.addEntry("demo.Circle.desktop", scheme: "circle.example", "Exec=\(client) open %u")
        #expect(try await open("circle.example:x").status == .exited(68))
    }

    @Test func `scheme resolve and scheme can-open report the desktop's handler`() async throws {
        let scene = try await DesktopScene.start()
        let nobody = try await Tools.client(["scheme", "resolve", "desk.example:"]).succeeded()
        #expect(nobody.output == "nobody\tno-handler\tnone\n")
        #expect(try await Tools.client(["scheme", "can-open", "desk.example:"]).status == .exited(68))
        try scene.addStartedProgram(scheme: "desk.example")
        let started = try await Tools.client(["scheme", "resolve", "desk.example:"]).succeeded()
        #expect(started.output == "org.example.Started.desktop\tdesktop-default\tstarted\n")
        #expect(try await Tools.client(["scheme", "can-open", "desk.example:"]).status == .success)
        let json = try await Tools.client(["scheme", "resolve", "--json", "desk.example:"]).succeeded().output
        #expect(json.contains(#""queueable":false"#) && json.contains(#""candidates":[]"#))
    }

    @Test func `a repeated id is one request, and it has a record`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        let id = "0123456789abcdef0123"
        for _ in 0..<2 { #expect(try await open("desk.example:once", "--id", id).status == .success) }
        let shown = try await Tools.client(["request", "show", "--json", id]).succeeded().output
        #expect(try JSONText.string("application", in: shown) == "org.example.Started.desktop")
        #expect(try JSONText.string("outcome", in: shown) == "delivered")
        #expect(try await Tools.ids(["--state", "delivered"]) == [id])
        // Another URL with the same id is an error, and nothing can be queued for the desktop afterwards.
        #expect(try await open("desk.example:other", "--id", id).status == .exited(65))
        let retried = try await Tools.client(["request", "retry", id])
        #expect(retried.status == .exited(68), "\(retried)")
        #expect(try await open("desk.example:end").status == .success)
        #expect(try await scene.log.nextLine()?.contains("desk.example:once") == true)
        #expect(try await scene.log.nextLine()?.contains("desk.example:end") == true)
    }

    @Test func `after the broker is killed, a sender that repeats its call opens the URL again`() async throws {
        let scene = try await DesktopScene.start()
        try await scene.addService(scheme: "desk.example")
        let arguments = ["open", "--id", "0123456789abcdef0123", "--json", "--", "desk.example:second"]
        let first = try await RunningProcess.start(try Binaries.path("ipc-client"), arguments, input: .none)
        try await scene.log.waitForLine { $0.hasPrefix("asked\tdesk.example:second") }
        try await scene.broker.restart()
        try await first.wait()
        let again = try await Tools.client(arguments).succeeded()
        #expect(try JSONText.string("outcome", in: again.output) == "delivered")
        #expect(again.output.contains(#""attempts":2"#), "\(again)")
        try await scene.log.waitForLine { $0.hasPrefix("asked\tdesk.example:second") }
    }

    @Test func `in a sandbox, the portal opens the URL`() async throws {
        let scene = try await DesktopScene.start(environment: ["GTK_USE_PORTAL": "1"])
        try await scene.addPortal()
        let resolved = try await Tools.client(["scheme", "resolve", "desk.example:yes"]).succeeded()
        #expect(resolved.output == "org.freedesktop.portal.OpenURI\tdesktop-default\tstarted\n")
        #expect(try await open("desk.example:yes").status == .success)
        let refused = try await open("desk.example:no")
        #expect(refused.status == .exited(69), "\(refused)")
        #expect(try await scene.log.nextLine() == "portal\tdesk.example:yes")
        #expect(try await scene.log.nextLine() == "portal\tdesk.example:no")
    }

    @Test func `a policy for the desktop entry is enforced`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        _ = try await Tools.client(["scheme", "policy", "org.example.Started.desktop", "--default", "deny"]).succeeded()
        #expect(try await open("desk.example:x").status == .exited(77))
        #expect(try await Tools.client(["scheme", "can-open", "desk.example:"]).status == .exited(77))
    }

    @Test func `the desktop's handlers can be switched off`() async throws {
        let bus = try PrivateBus.current
        let file = bus.directory.appending("off.conf")
        try FileContents.write("[Desktop]\nopen=false\n", to: file)
        let scene = try await DesktopScene.start(["--config", file])
        try scene.addStartedProgram(scheme: "desk.example")
        #expect(try await open("desk.example:x").status == .exited(68))
        #expect(try await Tools.client(["scheme", "can-open", "desk.example:"]).status == .exited(68))
    }

    @Test(.enabled(if: SandboxPeer.isPossible))
    func `a sandboxed caller cannot escape through the desktop`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        let boxed = try await SandboxPeer.start(flatpak: "org.example.Boxed")
        let free = try await SandboxPeer.start(info: nil)
        let open = "str(urls.OpenURL('desk.example:free', none)['outcome'])"
        #expect(try await boxed.ask(open) == "org.swiftipc.Error.NoHandler")
        #expect(try await free.ask(open) == "'delivered'")
    }

    @Test func `callbacks of x-callback-url start no desktop application`() async throws {
        let scene = try await DesktopScene.start()
        try scene.addStartedProgram(scheme: "desk.example")
        let server = try await Tools.server()
        let url = "IPCServer.demo://x-callback-url/greet?x-success=desk.example:callback"
        #expect(try await open(url).status == .success)
        try await server.errors.waitForLine { $0.contains("desk.example") }
        #expect(try await open("desk.example:end").status == .success)
        #expect(try await scene.log.nextLine()?.contains("desk.example:end") == true)
        withExtendedLifetime(server) {}
    }
}
