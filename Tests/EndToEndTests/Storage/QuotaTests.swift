import IPCTesting
import Testing

/// I4: the user's disk quota is used up, for which the system reports another error than for a full disk.
@Suite(.privateBus, .serialized, .timeLimit(.minutes(10)))
struct QuotaTests {
    @Test func `I4: without quota, writes are rejected, reads continue, and nothing is lost`() async throws {
        var settings = BrokerProcess.Settings()
        settings.failing = .quota(from: 100)
        let broker = try await BrokerProcess.start(settings)
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("board", on: peer)
        var (kept, refused): (String?, WireMessage?)
        for number in 0..<100 where refused == nil {
            let answer = try await board.call(.setItems(.item("\(number)"), at: board.path))
            if answer.error == nil { kept = "\(number)" } else { refused = answer }
        }
        #expect(refused?.error == "org.swiftipc.Error.NoSpace")
        #expect(try await board.get().texts == [kept])
        #expect(try await broker.terminate() == .success)
        let next = try await BrokerProcess.start()
        #expect(try await board.get().texts == [kept])
        try await next.terminate()
    }
}
