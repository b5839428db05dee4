import IPCTesting
import Testing

/// Large reads wait for the large operations of others, and still keep their place among their caller's calls.
@Suite(.privateBus, .serialized)
struct LargeReadOrderTests {
    private static func values(_ count: Int) -> WireValue {
        .copies(.array("(sv)", [.structure(.s("a/b"), .v(.s("")))]), count)
    }

    @Test func `a small write does not overtake its caller's large read, whatever others write`() async throws {
        let broker = try await BrokerProcess.start()
        defer { _ = broker }
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("read", on: peer)
        let busy = try await WireBoard.make("busy", on: peer, "other")
        #expect(try await board.call(.setItems(Self.values(2_000), at: board.path)).error == nil)
        let before = try await board.get().count
        var others: [Int] = []
        for _ in 0..<4 {
            others.append(try await peer.send(.setItems(Self.values(16_000), at: busy.path), on: "other"))
        }
        let read = try await peer.send(.getItems(at: board.path))
        let write = try await peer.send(.setItems(.item("new"), at: board.path))
        #expect(WireBoard.read(try await peer.reply(read)).count == before)
        #expect(try await peer.reply(write).error == nil)
        for other in others { #expect(try await peer.reply(other, on: "other").error == nil) }
    }
}
