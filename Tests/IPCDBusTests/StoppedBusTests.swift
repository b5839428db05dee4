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
}
