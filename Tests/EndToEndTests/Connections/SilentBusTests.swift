import Glibc
import IPCTesting
import Testing

/// A bus that accepts connections and stays silent: the tools report this within their time-out.
@Suite(.privateBus)
struct SilentBusTests {
    private let bus: PrivateBus

    init() throws { bus = try PrivateBus.current }

    /// Accepts connections, optionally accepts the authentication, and answers nothing else.
    private static let script = """
        import socket, sys
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(sys.argv[1])
        listening.listen(8)
        print("ready", flush=True)
        kept = []
        while True:
            peer = listening.accept()[0]
            kept.append(peer)
            peer.recv(4096)
            if sys.argv[2] == "consents":
                peer.sendall(b"OK 1234\\r\\nAGREE_UNIX_FD\\r\\n")

        """

    private func expectTryAgain(_ command: [String], _ address: String, within most: Duration) async throws {
        let begin = ContinuousClock.now
        let output = try await RunningProcess.run(
            try Binaries.path("ipc-client"), command,
            environment: bus.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }, deadline: .seconds(60))
        let time = ContinuousClock.now - begin
        #expect(output.status == .exited(75), "\(command): \(output)")
        #expect(output.errors.contains("did not answer in time"), "\(output)")
        #expect(time < most, "\(command)")
    }

    @Test(arguments: ["silent", "consents"])
    func `a sender's time-out includes the wait for the bus`(behaviour: String) async throws {
        let socket = bus.directory.appending("silent")
        let peer = try await PythonPeer.start(Self.script, arguments: [socket, behaviour])
        #expect(try await peer.nextLine() == "ready")
        let address = "unix:path=\(socket)"
        for command in [["send", "hello"], ["open", "demo:x"], ["call", "demo:x"]] {
            try await expectTryAgain(command + ["--timeout", "1"], address, within: .seconds(15))
        }
        try await expectTryAgain(
            ["request", "wait", "4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11", "--timeout", "1"], address,
            within: .seconds(15))
        withExtendedLifetime(peer) {}
    }

    @Test func `a command waits for a stopped bus until its own time-out`() async throws {
        kill(try bus.pid, SIGSTOP)
        try await expectTryAgain(["send", "hello", "--timeout", "1"], bus.address, within: .seconds(15))
        kill(try bus.pid, SIGCONT)
        // The control: the bus answers again, and the command reports that there is no broker.
        #expect(try await Tools.client(["send", "hello", "--timeout", "10"]).status == .exited(69))
    }

    private static let id = "4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11"

    @Test(arguments: [
        ["board", "list"], ["board", "show", "x"], ["board", "history", "x"], ["board", "clear", "x"],
        ["board", "remove", "x"], ["board", "prune", "--empty"], ["copy", "x"], ["paste"], ["set", "x", "x"],
        ["get", "x"], ["pick"], ["request", "list"], ["request", "show", id], ["request", "cancel", id],
        ["request", "retry", id], ["request", "drop", id], ["request", "trace", id], ["scheme", "list"],
        ["scheme", "resolve", "x:"], ["scheme", "can-open", "x:", "--wait", "1ms"], ["scheme", "default", "x"],
        ["scheme", "policy", "a.B"], ["scheme", "register", "x", "--application", "a.B", "--persistent"],
        ["scheme", "unregister", "x", "--application", "a.B"], ["broker", "status"], ["broker", "describe"],
    ])
    func `a command's time-out limits how long it waits for the broker`(_ command: [String]) async throws {
        let broker = try await BrokerProcess.start()
        broker.signal(SIGSTOP)
        try await expectTryAgain(command + ["--timeout", "300ms"], bus.address, within: .seconds(15))
        broker.signal(SIGCONT)
        // The control: a broker that goes on answers.
        #expect(try await Tools.client(["board", "list", "--timeout", "20s"]).status == .success)
    }

    @Test func `every other command also ends on a silent bus`() async throws {
        let socket = bus.directory.appending("silent")
        let peer = try await PythonPeer.start(Self.script, arguments: [socket, "consents"])
        #expect(try await peer.nextLine() == "ready")
        try await expectTryAgain(["broker", "status"], "unix:path=\(socket)", within: .seconds(45))
        withExtendedLifetime(peer) {}
    }
}
