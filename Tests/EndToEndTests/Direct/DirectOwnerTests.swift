import Glibc
import IPCTesting
import Testing

/// A name that changes hands while its new owner is already calling over a direct connection.
@Suite(.privateBus, .serialized, .enabled(if: !DirectWay.isUsual, "its connections are those of the test alone"))
struct DirectOwnerTests {
    private static let name = "demo.Passed"

    /// Calls `Register` over one caller's direct connection, before the stopped bus gives the name to a caller.
    private func register(directly caller: String, after others: [String]) async throws -> WireMessage {
        let (scene, bus) = (try await DirectScene.start(), try PrivateBus.current.pid)
        try await scene.peer.openDirect("direct", of: caller)
        try await scene.peer.openDirect("other", of: "owner")
        // A call that the broker answers without the bus, once it knows the caller.
        let question = WireCall.getRequest("no-such-request-0")
        for connection in ["direct", "other"] { _ = try await scene.peer.call(question, on: connection) }
        #expect(try await scene.peer.call(.bus("RequestName", [.s(Self.name), .u(4)]), on: "owner").error == nil)
        #expect(try await scene.peer.call(.register(Self.name, ["old.demo"]), on: "owner").error == nil)
        // When this is answered, the bus has read the signals of the registration. Otherwise the broker's connection,
        // with an unread signal, would be the first one that the bus reads after the pause.
        #expect(try await scene.peer.call(question, on: "owner").error == "org.swiftipc.Error.NoSuchRequest")
        // The same holds until the bus waits again (epoll(7): a connection stays in the ready list until it is found
        // without data). So the last connection that it reads before the pause is the owner's.
        #expect(try await scene.peer.call(.bus("GetId", []), on: "owner").error == nil)
        kill(bus, SIGSTOP)
        defer { kill(bus, SIGCONT) }
        for other in others {
            _ = try await scene.peer.send(.bus("ReleaseName", [.s(Self.name)]), on: "owner")
            _ = try await scene.peer.send(.bus("RequestName", [.s(Self.name), .u(4)]), on: other)
        }
        let serial = try await scene.peer.send(.register(Self.name, ["new.demo"]), on: "direct")
        // When the broker answers this call, it has read the earlier one.
        #expect(try await scene.peer.call(question, on: "other").error == "org.swiftipc.Error.NoSuchRequest")
        kill(bus, SIGCONT)
        return try await scene.peer.reply(serial, on: "direct")
    }

    @Test(.enabled(if: BusImplementation.current == .daemon, "dbus-daemon reads calls in the order of their arrival"))
    func `a registration is checked against the current owner on the bus`() async throws {
        let answer = try await register(directly: "witness", after: ["witness"])
        #expect(answer.error == nil, "\(answer)")
    }

    /// The control: without its own name, the caller is rejected.
    @Test func `a registration by another connection is refused`() async throws {
        let answer = try await register(directly: "witness", after: [])
        #expect(answer.error == "org.swiftipc.Error.NotOwner", "\(answer)")
    }
}
