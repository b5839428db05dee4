import IPCTesting
import Testing

/// I11, I12: versions and their change counts, as any D-Bus client sees them.
@Suite(.privateBus)
struct HistoryTests {
    @Test(arguments: [true, false])
    func `I12: the earlier versions in the history can be read by change count`(persistent: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let board = try await WireBoard.make("history", persistent: persistent, on: try await WirePeer.start())
        let set = try await board.call(
            .properties(
                "Set", [.s("org.swiftipc.Pasteboard1"), .s("HistoryLimit"), .v(.u(3))], at: board.path))
        #expect(set.error == nil)
        var counts: [Int] = []
        for number in 0..<6 { counts.append(try await board.set("version \(number)")) }
        #expect(counts == counts.sorted() && Set(counts).count == 6)
        for life in 0..<2 {
            if life == 1 {
                guard persistent else { break }
                try await broker.restart()
            }
            let versions = try await board.versions()
            #expect(versions.compactMap { $0["change-count"]?.number } == Array(counts.suffix(4)))
            #expect(versions.allSatisfy { $0["item-count"]?.number == 1 && $0["size"]?.number == 9 })
            #expect(versions.last?["types"]?[0]?[0]?.text == "text/plain;charset=utf-8")
            for (number, count) in counts.enumerated() {
                let read = try await board.call(.getItems(["change-count": .t(UInt64(count))], at: board.path))
                if number < 2 {
                    #expect(read.error == BoardErrors.noSuchItem, "\(read)")
                } else {
                    #expect(WireBoard.read(read) == (count, ["version \(number)"]))
                }
            }
        }
    }

    @Test func `I12: a compare-and-set succeeds only at its change count, and the error names both counts`()
        async throws
    {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("compared", on: try await WirePeer.start())
        let first = try await board.set("first")
        let second = try await board.set("second", ["if-change-count": .t(UInt64(first))])
        for call in [
            WireCall.setItems(.item("third"), ["if-change-count": .t(UInt64(first))], at: board.path),
            .addItems(.item("third"), ["if-change-count": .t(UInt64(first))], at: board.path),
            .clear(["if-change-count": .t(UInt64(first))], at: board.path),
        ] {
            let refused = try await board.call(call)
            #expect(refused.error == BoardErrors.mismatch, "\(refused)")
            #expect(refused.text.contains("\(first)") && refused.text.contains("\(second)"), "\(refused)")
        }
        #expect(try await board.get() == (second, ["second"]))
        let third = try await board.clear(["if-change-count": .t(UInt64(second))])
        #expect(try await board.get() == (third, []))
    }

    @Test func `I11: change counts grow across removal, restart and skipping`() async throws {
        let broker = try await BrokerProcess.start()
        let board = try await WireBoard.make("counted", on: try await WirePeer.start())
        var last = try await board.set("first")
        for round in 0..<3 {
            #expect(try await board.call(.removePasteboard("counted")).error == nil)
            try await board.make()
            if round > 0 { try await broker.restart() }
            let count = try await board.set("after \(round)")
            #expect(count > last)
            last = count
        }
        let target = UInt64(last) + 1_000_000
        let skipped = try await board.call(WireCall("Pasteboards1", "SkipChangeCounts", [.t(target), .none]))
        #expect(skipped.error == nil, "\(skipped)")
        try await broker.restart()
        #expect(try await board.set("far on") > Int(target))
        // Skipping to a lower change count has no effect.
        _ = try await board.call(WireCall("Pasteboards1", "SkipChangeCounts", [.t(5), .none]))
        #expect(try await board.set("further") > Int(target) + 1)
    }
}
