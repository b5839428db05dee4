import IPCTesting
import Testing

/// The calls that people make by hand, with tools that can pass only strings.
@Suite(.privateBus) struct SimpleTests {
    private static let (broker, interface) = ("/org/swiftipc/Broker1", "org.swiftipc.Simple1")

    private func run(_ method: String, _ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "dbus-send",
            ["--session", "--print-reply=literal", "--dest=\(BrokerProcess.busName)", Self.broker]
                + ["\(Self.interface).\(method)"] + arguments.map { "string:\($0)" })
    }

    private func call(_ method: String, _ arguments: String...) async throws -> String {
        let output = try await run(method, arguments).succeeded().output
        // dbus-send indents the answer by three blanks, and writes a line break after a number only.
        return String(output.dropFirst(3).prefix { $0 != "\n" })
    }

    private func error(_ method: String, _ arguments: String...) async throws -> String {
        let output = try await run(method, arguments)
        #expect(output.status != .success)
        return output.errors
    }

    private func startHandler() async throws -> PythonPeer {
        let handler = try await PythonPeer.start(
            PythonPrograms.handler, arguments: ["demo.PythonHandler", "python.demo"])
        _ = try await handler.nextValue()
        return handler
    }

    @Test func `a URL is opened, and its outcome or the text of its reply is returned`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        #expect(try await call("Open", "python.demo:x") == "handled")
        #expect(try await call("Open", "python.demo:x?decline") == "declined")
        #expect(try await call("OpenText", "python.demo:x", "buy milk") == "BUY MILK")
        withExtendedLifetime(handler) {}
    }

    @Test func `a text is written and read, and a missing pasteboard is created`() async throws {
        _ = try await BrokerProcess.start()
        #expect(try await call("GetText", "general") == "")
        let first = try await call("SetText", "general", "buy milk")
        #expect(try await call("GetText", "general") == "buy milk")
        let second = try await call("SetText", "notes", "ünïcode")
        #expect(try await call("GetText", "notes") == "ünïcode")
        let counts = [first, second].compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
        #expect(counts.count == 2 && counts[0] < counts[1], "\(first) \(second)")
    }

    @Test func `errors are those of the full calls`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        #expect(try await error("Open", "nobody.demo:x").contains("org.swiftipc.Error.NoHandler"))
        #expect(try await error("OpenText", "nobody.demo:x", "a").contains("org.swiftipc.Error.NoHandler"))
        #expect(try await error("Open", "no URL").contains("org.swiftipc.Error.InvalidURL"))
        let declined = try await error("OpenText", "python.demo:x?decline", "a")
        #expect(declined.contains("org.freedesktop.DBus.Error.Failed"))
        #expect(declined.contains("“declined”: not now"), "\(declined)")
        #expect(try await error("GetText", "none").contains("org.swiftipc.Error.NoSuchPasteboard"))
        #expect(try await error("GetText", "").contains("org.swiftipc.Error.InvalidName"))
        #expect(try await error("SetText", "unique-x", "a").contains("org.swiftipc.Error.InvalidName"))
        #expect(try await error("Open").contains("org.swiftipc.Error.InvalidArguments"))
        withExtendedLifetime(handler) {}
    }

    @Test func `content without text is an error, and is not consumed`() async throws {
        _ = try await BrokerProcess.start()
        try await Tools.client(["set", "picture", "--once", "--type", "image/png", "pixels"]).succeeded()
        #expect(try await error("GetText", "picture").contains("org.swiftipc.Error.NoSuchItem"))
        #expect(try await Tools.client(["get", "picture"]).succeeded().output == "pixels")
        // The control: text for one reader is consumed.
        try await Tools.client(["set", "ticket", "--once", "text"]).succeeded()
        #expect(try await call("GetText", "ticket") == "text")
        #expect(try await call("GetText", "ticket") == "")
    }

    @Test func `gdbus and busctl need no types for these calls`() async throws {
        _ = try await BrokerProcess.start()
        let place = ["--session", "--dest", BrokerProcess.busName, "--object-path", Self.broker, "--method"]
        try await RunningProcess.run("gdbus", ["call"] + place + ["\(Self.interface).SetText", "general", "hello"])
            .succeeded()
        let read = try await RunningProcess.run(
            "busctl", ["--user", "call", BrokerProcess.busName, Self.broker, Self.interface, "GetText", "s", "general"])
        #expect(try read.succeeded().output == "s \"hello\"\n")
    }
}
