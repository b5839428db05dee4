import Glibc
import IPCTesting
import Testing

@testable import IPCDBus

/// A stopped bus does not keep any program from exiting.
@DBusActor
@Suite(.privateBus, .timeLimit(.minutes(1)))
struct StoppedBusTests {
    @Test func `a connection closes in time even if the bus reads nothing`() async throws {
        let bus = try PrivateBus.current
        let connection = try await Connection.open(.address(bus.address))
        let pid = try bus.pid
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        for _ in 0..<64 {
            let signal = try Message.signal(
                path: "/a", interface: "org.example.A", member: "B", to: nil, signature: "ay"
            ) { (writer) throws(MessageError) in try [UInt8](repeating: 1, count: 1 << 20).write(to: &writer) }
            connection.broadcast(signal)
        }
        #expect(connection.bytesWaiting > 0)
        let start = ContinuousClock.now
        await connection.closeAfterFlush(within: .milliseconds(50))
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(!connection.isConnected)
    }

    @Test func `what a call keeps is released when the bus has taken the answer`() async throws {
        let bus = try PrivateBus.current
        let service = try await Connection.open(.address(bus.address))
        let gate = Gate()
        let large = Method(
            "org.example.A", "Large", takes: .none, returns: .of(Argument<[UInt8]>("bytes")), "Answers late.")
        let interface = InterfaceDescription("org.example.A", "An interface for tests.", [large.description])
        service.objects.export(
            [
                ExportedInterface(
                    interface,
                    methods: [
                        large.answered { (_, call) async throws in
                            call.keepUntilAnswered(gate.kept())
                            await gate.opened()
                            return [UInt8](repeating: 1, count: 4 << 20)
                        }
                    ])
            ], at: "/a")
        let caller = try await Connection.open(.address(bus.address))
        let name = try #require(service.uniqueName)
        async let answer = caller.call(large, on: name, at: "/a", ())
        await gate.reached()
        let pid = try bus.pid
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        gate.open()
        while service.bytesWaiting == 0 { await Task.yield() }
        #expect(gate.isKept)
        kill(pid, SIGCONT)
        #expect(try await answer.count == 4 << 20)
        #expect(!gate.isKept)
    }
}

/// Stops a handler until the test lets it answer.
@DBusActor
private final class Gate {
    private final class Kept {}

    private weak var object: Kept?
    private let waiters = Waiters()
    private var (isReached, isOpen) = (false, false)

    var isKept: Bool { object != nil }

    func kept() -> AnyObject {
        let kept = Kept()
        object = kept
        return kept
    }

    func reached() async { await waiters.wait { !isReached } }

    func open() {
        isOpen = true
        waiters.resumeAll()
    }

    func opened() async {
        isReached = true
        waiters.resumeAll()
        await waiters.wait { !isOpen }
    }
}
