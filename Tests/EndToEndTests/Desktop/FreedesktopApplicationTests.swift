import IPC
import IPCDBus
import IPCTesting
import Testing

/// `org.freedesktop.Application` of every receiving application, as desktops call it.
@Suite(.privateBus)
struct FreedesktopApplicationTests {
    private static let url = #"Notes.example://a b/?q=%E6日"#

    private func handler(_ id: ApplicationID = "org.example.Notes") async throws -> Application {
        try await Application.connect(
            id: id, schemes: ["Notes.example"], bus: .address(try PrivateBus.current.address))
    }

    private func call(_ method: String, _ arguments: String...) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "gdbus",
            [
                "call", "--session", "--dest", "org.example.Notes", "--object-path", "/org/example/Notes", "--method",
                "org.freedesktop.Application.\(method)", "--",
            ] + arguments)
    }

    @Test func `Open delivers its URLs in order, without a source, and returns after they are handled`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        async let call = call("Open", "['\(Self.url)', 'notes.EXAMPLE:2']", "{'desktop-startup-id': <'token-7'>}")
        var requests = application.openURLs.makeAsyncIterator()
        let first = try #require(try await requests.next())
        #expect(first.url == Self.url && first.activationToken == "token-7" && first.attempt == 1)
        #expect(first.source == Source(application: "", strength: .unknown) && !first.payload.isPresent)
        let second = try #require(try await requests.next())
        #expect(second.url == "notes.EXAMPLE:2" && second.id != first.id)
        try await first.finish(.handled)
        try await second.finish(.handled)
        #expect(try await call.succeeded().output == "()\n")
        await application.close()
        withExtendedLifetime(broker) {}
    }

    @Test func `a declined or failed URL is an error with the reason, and the others are handled`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        async let call = call("Open", "['notes.example:1', 'notes.example:2', 'notes.example:3']", "{}")
        var requests = application.openURLs.makeAsyncIterator()
        let answers: [OpenURLRequest.Answer] = [.handled, .failed(code: "E7", message: "out of ink"), .declined]
        for answer in answers { try await #require(try await requests.next()).finish(answer) }
        let refused = try await call
        #expect(refused.status != .success, "\(refused)")
        #expect(refused.errors.contains("notes.example:2") && refused.errors.contains("failed: E7: out of ink"))
        async let declined = self.call("Open", "['notes.example:4']", "{}")
        try await #require(try await requests.next()).finish(.declined)
        #expect(try await declined.errors.contains("declined"))
        await application.close()
        withExtendedLifetime(broker) {}
    }

    @Test func `an invalid URL or one URL too many rejects the whole call`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        let wrong = try await call("Open", "['notes.example:1', 'no url']", "{}")
        #expect(wrong.errors.contains("org.swiftipc.Error.InvalidURL"), "\(wrong)")
        let many = "[" + (1...65).map { "'notes.example:\($0)'" }.joined(separator: ",") + "]"
        #expect(try await call("Open", many, "{}").errors.contains("org.swiftipc.Error.LimitExceeded"))
        #expect(try await call("Open", "@as []", "{}").succeeded().output == "()\n")
        async let right = call("Open", "['notes.example:right']", "{}")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.url == "notes.example:right")
        try await request.finish(.handled)
        #expect(try await right.status == .success)
        await application.close()
        withExtendedLifetime(broker) {}
    }

    @Test func `Activate is accepted, and there are no actions`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        #expect(try await call("Activate", "{}").succeeded().output == "()\n")
        let (tokens, token) = AsyncStream<String?>.makeStream()
        await application.onActivate { token.yield($0) }
        #expect(try await call("Activate", "{'activation-token': <'token-8'>}").status == .success)
        for await heard in tokens {
            #expect(heard == "token-8")
            break
        }
        let action = try await call("ActivateAction", "print", "[]", "{}")
        #expect(action.errors.contains("org.swiftipc.Error.InvalidArguments") && action.errors.contains("print"))
        await application.close()
        withExtendedLifetime(broker) {}
    }

    /// I19: policies also apply to this route.
    @Test func `a policy that rejects unknown sources rejects Open`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        try await application.setPolicy(AccessPolicy(allowsOthers: false, allowed: ["org.example.Friend"]))
        let refused = try await call("Open", "['notes.example:1']", "{}")
        #expect(refused.errors.contains("org.swiftipc.Error.AccessDenied"), "\(refused)")
        try await application.setPolicy(AccessPolicy())
        async let allowed = call("Open", "['notes.example:2']", "{}")
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.url == "notes.example:2")
        try await request.finish(.handled)
        #expect(try await allowed.status == .success)
        await application.close()
        withExtendedLifetime(broker) {}
    }

    @Test func `an application that accepts no more requests says so`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await handler()
        try await application.stopReceiving()
        let refused = try await call("Open", "['notes.example:1']", "{}")
        #expect(refused.errors.contains("org.swiftipc.Error.HandlerUnavailable"), "\(refused)")
        await application.close()
        withExtendedLifetime(broker) {}
    }

    @Test func `gapplication starts the sample handler with a URL, or reaches the running one`() async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let log = bus.directory.appending("received.log")
        try FileContents.write("", to: log)
        let tail = try await RunningProcess.start("tail", ["-n", "+1", "-f", log], input: .none)
        try await bus.addService(
            name: "demo.IPCServer",
            exec: #"\#(try Binaries.path("ipc-server")) --exec 'echo "$IPC_URL" >> \#(log)'"#)
        for number in 1...2 {
            let url = "IPCServer.demo://IPCServer.demo?key=value&n=\(number)"
            try await RunningProcess.run("gapplication", ["launch", "demo.IPCServer", url]).succeeded()
            #expect(try await tail.nextLine() == url)
        }
        try await RunningProcess.run("gapplication", ["launch", "demo.IPCServer"]).succeeded()
        #expect(try await RunningProcess.run("gapplication", ["action", "demo.IPCServer", "print"]).status != .success)
        withExtendedLifetime(broker) {}
    }

    /// The receiving program uses this library, and the broker knows the program only from its desktop entry.
    @Test func `the broker hands a URL to an application whose scheme only the desktop knows`() async throws {
        let scene = try await DesktopScene.start()
        let application = try await handler()
        try scene.addEntry(
            "org.example.Notes.desktop", scheme: "other.example", "Exec=false %u", "DBusActivatable=true")
        async let opened = Tools.client(["open", "--", "other.example:x"])
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.url == "other.example:x" && request.source.strength == .unknown)
        try await request.finish(.failed(message: "not mine"))
        let failed = try await opened
        #expect(failed.status == .exited(70) && failed.errors.contains("not mine"), "\(failed)")
        await application.close()
    }
}
