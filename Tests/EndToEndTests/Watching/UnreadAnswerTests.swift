import IPCModel
import IPCTesting
import Testing

/// I16: the bus holds few answers for a caller that does not read, however short they are.
@Suite(.privateBus, .serialized)
struct UnreadAnswerTests {
    private static let calls = 4_000
    /// The error repeats this name, so that fewer calls are enough.
    private static let call = WireCall("Broker1", String(repeating: "x", count: 255))

    @Test(.enabled(if: BusImplementation.current == .daemon, "dbus-broker does not report what it holds"))
    func `I16: short answers that a caller does not read wait in the broker, and each call is answered`() async throws {
        let broker = try await BrokerProcess.start()
        defer { _ = broker }
        let peer = try await WirePeer.start()
        let name = try await peer.open("silent")
        try await peer.open("caller")
        var serials: [Int] = []
        for _ in 0..<Self.calls { serials.append(try await peer.send(Self.call, on: "silent")) }
        // When this call is answered, the broker has read the calls before it.
        #expect(try await peer.call(.describe()).error == nil)
        #expect(try await heldByBus(for: name, peer) < 1 << 20 + 64 << 10)
        for serial in serials {
            #expect(try await peer.reply(serial, on: "silent").error == "org.freedesktop.DBus.Error.UnknownMethod")
        }
        #expect(try await heldByBus(for: name, peer) == 0)
    }

    private func heldByBus(for name: String, _ peer: WirePeer) async throws -> Int {
        var call = WireCall(
            "org.freedesktop.DBus.Debug.Stats", "GetConnectionStats", [.s(name)], at: "/org/freedesktop/DBus")
        call.destination = "org.freedesktop.DBus"
        let answer = try await peer.call(call)
        return try #require(answer["OutgoingBytes"]?.number, "\(answer)")
    }
}
