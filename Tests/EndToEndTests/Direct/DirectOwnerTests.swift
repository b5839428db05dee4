import Glibc
import IPCTesting
import Testing

/// A name that changes hands while its new owner is already calling over a direct connection.
@Suite(.privateBus, .serialized, .enabled(if: !DirectWay.isUsual, "the test itself must open every direct connection"))
struct DirectOwnerTests {
    private static let name = "demo.Passed"

    /// Calls `Register` over one caller's direct connection while the bus is stopped and has not yet given the name to
    /// a new owner.
    private func register(directly caller: String, after others: [String]) async throws -> WireMessage {
        let (scene, bus) = (try await DirectScene.start(), try PrivateBus.current.pid)
        try await scene.peer.openDirect("direct", of: caller)
        try await scene.peer.openDirect("other", of: "owner")
        // A call that the broker answers without the bus, once it knows the caller.
        let question = WireCall.getRequest("no-such-request-0")
        for connection in ["direct", "other"] { _ = try await scene.peer.call(question, on: connection) }
        #expect(try await scene.peer.call(.bus("RequestName", [.s(Self.name), .u(4)]), on: "owner").error == nil)
        #expect(try await scene.peer.call(.register(Self.name, ["old.demo"]), on: "owner").error == nil)
        // When this call is answered, the bus has read the signals of the registration. An unread signal would make the
        // bus read the broker's connection first after the pause.
        #expect(try await scene.peer.call(question, on: "owner").error == "org.swiftipc.Error.NoSuchRequest")
        // A connection stays in the bus's ready list until the bus finds it without data (epoll(7)). After this call,
        // the last connection that the bus reads before the pause is the owner's, not the broker's.
        #expect(try await scene.peer.call(.bus("GetId", []), on: "owner").error == nil)
        kill(bus, SIGSTOP)
        defer { kill(bus, SIGCONT) }
        for other in others {
            _ = try await scene.peer.send(.bus("ReleaseName", [.s(Self.name)]), on: "owner")
            _ = try await scene.peer.send(.bus("RequestName", [.s(Self.name), .u(4)]), on: other)
        }
        let serial = try await scene.peer.send(.register(Self.name, ["new.demo"]), on: "direct")
        // When the broker answers this call, it has also read the registration, which was sent before.
        #expect(try await scene.peer.call(question, on: "other").error == "org.swiftipc.Error.NoSuchRequest")
        kill(bus, SIGCONT)
        return try await scene.peer.reply(serial, on: "direct")
    }

    @Test(.enabled(if: BusImplementation.current == .daemon, "dbus-daemon reads calls in the order of their arrival"))
    func `a registration is checked against the current owner on the bus`() async throws {
        let answer = try await register(directly: "witness", after: ["witness"])
        #expect(answer.error == nil, "\(answer)")
    }

    /// The control: a caller that does not own the name is rejected.
    @Test func `a registration by another connection is refused`() async throws {
        let answer = try await register(directly: "witness", after: [])
        #expect(answer.error == "org.swiftipc.Error.NotOwner", "\(answer)")
    }
}
