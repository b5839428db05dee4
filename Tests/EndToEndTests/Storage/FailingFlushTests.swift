import IPCTesting
import Testing

/// I3: the disk cannot flush the write-ahead log.
@Suite(.privateBus, .serialized, .timeLimit(.minutes(10)))
struct FailingFlushTests {
    /// Each flush fails in a separate run: while the broker starts, when it commits, and when it stops.
    @Test func `I3: after a failed flush the broker exits with an error, also while it stops`() async throws {
        var broker = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("board", on: peer)
        try await board.set("kept")
        try await broker.terminate()
        var failures = 0
        for flush in 1...20 {
            var settings = BrokerProcess.Settings()
            settings.failing = .flush(flush)
            if let failing = try? await BrokerProcess.start(settings) {
                let answer = try await board.call(.setItems(.item("lost"), at: board.path))
                let status = answer.error == nil ? try await failing.terminate() : try await failing.wait()
                // The control: a broker whose flushes succeed exits without an error.
                let hasFailed = try failing.hasFailed()
                #expect((status == .success) == !hasFailed, "flush \(flush): \(status)")
                if !hasFailed { break }
                failures += 1
            }
            broker = try await BrokerProcess.start()
            let answer = try await board.call(.getItems(at: board.path))
            #expect(answer.error == nil, "flush \(flush)")
            try await broker.terminate()
        }
        print("failing flushes: \(failures) runs")
        #expect(failures >= 2)
    }
}
