import Glibc
import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// What the broker tells the service manager (sd_notify(3)).
@DBusActor
@Suite(.privateBus)
struct StatusTests {
    /// Prints each message to the manager on one line, with “|” for line breaks.
    private nonisolated static let manager = """
        import socket, sys

        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = sys.argv[1]
        notify.bind("\\0" + name[1:] if name.startswith("@") else name)
        print("bound", flush=True)
        while True:
            print(notify.recv(65536).decode().replace("\\n", "|"), flush=True)
        """

    private func start(_ address: String) async throws -> (broker: BrokerProcess, manager: RunningProcess) {
        let manager = try await RunningProcess.start("python3", ["-c", Self.manager, address], input: .none)
        #expect(try await manager.nextLine() == "bound")
        var settings = BrokerProcess.Settings()
        settings.environment["NOTIFY_SOCKET"] = address
        return (try await BrokerProcess.start(settings), manager)
    }

    @Test(arguments: [false, true])
    func `the manager learns of start, reload, state and stop`(isAbstract: Bool) async throws {
        let path = try PrivateBus.current.directory.appending("notify")
        let (broker, manager) = try await start(isAbstract ? "@" + path : path)
        #expect(try await manager.nextLine() == "READY=1")
        #expect(try await manager.nextLine() == "STATUS=serving 1 pasteboard, 0 pending requests")
        broker.signal(SIGHUP)
        let reloading = try #require(try await manager.nextLine())
        #expect(reloading.hasPrefix("RELOADING=1|MONOTONIC_USEC="), "\(reloading)")
        #expect(Int(reloading.split(separator: "=").last ?? "") != nil)
        #expect(try await manager.nextLine() == "READY=1")
        #expect(try await broker.terminate() == .success)
        #expect(try await manager.nextLine() == "STOPPING=1")
    }

    /// The first two lines are about the start. Without the pace, there would be a line for nearly every pasteboard.
    @Test func `changes of the state are reported, but not more often than once a second`() async throws {
        let (_, manager) = try await start(try PrivateBus.current.directory.appending("notify"))
        let client = try await BrokerClient()
        let begin = ContinuousClock.now
        for number in 0..<50 { try await client.create("board\(number)") }
        var count = 0
        repeat { count += 1 } while try await manager.nextLine() != "STATUS=serving 51 pasteboards, 0 pending requests"
        let seconds = Int((ContinuousClock.now - begin).components.seconds)
        #expect(count <= seconds + 4, "\(count) in \(seconds) s")
    }

    @Test func `the manager learns why an unused broker stops`() async throws {
        let bus = try PrivateBus.current
        let folder = try bus.directory.makeDirectory("config/swift-ipc")
        try FileContents.write("[Service]\nidle-timeout-milliseconds=1000\n", to: folder + "/ipc-broker.conf")
        try await bus.addService(name: BrokerProcess.busName, exec: try Binaries.path("ipc-broker"))
        let (broker, manager) = try await start(bus.directory.appending("notify"))
        #expect(try await manager.nextLine() == "READY=1")
        #expect(try await manager.nextLine() == "STATUS=serving 1 pasteboard, 0 pending requests")
        #expect(
            try await manager.nextLine()
                == "STATUS=no program has used the broker for a while, and it holds nothing, so it "
                + "exits; the next call starts it again")
        #expect(try await manager.nextLine() == "STOPPING=1")
        #expect(try await broker.wait() == .success)
    }

    @Test func `waiting requests are counted`() async throws {
        let (_, manager) = try await start(try PrivateBus.current.directory.appending("notify"))
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let handler = try await TestHandler("demo.Slow", "slow.demo") { _, _, _ in
            for await _ in answers { break }
            return ("handled", HandlerReply())
        }
        let client = try await BrokerClient()
        let sending = Task { try await client.open("slow.demo:x") }
        try await manager.waitForLine { $0.hasSuffix("1 pasteboard, 1 pending request") }
        answer.yield()
        _ = try await sending.value
        try await manager.waitForLine { $0.hasSuffix("1 pasteboard, 0 pending requests") }
        withExtendedLifetime(handler) {}
    }
}
