import IPCTesting
import Testing

/// Content expires, as any D-Bus client sees it: the tests wait for the change that this causes.
@Suite(.privateBus)
struct TimeToLiveTests {
    @Test(arguments: [true, false])
    func `a version expires after its time to live, which counts as a change`(persistent: Bool) async throws {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("short", persistent: persistent, on: try await WirePeer.start())
        let clock = ContinuousClock()
        _ = try await board.set("later gone", ["time-to-live": .t(3_600_000)])
        let facts = try await board.facts()
        let (time, expires) = (try #require(facts["time"]?.number), try #require(facts["expires"]?.number))
        #expect(expires == time + 3_600_000)
        let begin = clock.now
        let count = try await board.set("soon gone", ["time-to-live": .t(300)])
        let after = try await board.change(after: count)
        #expect(clock.now - begin >= .milliseconds(300))
        #expect(try await board.get() == (after, []))
        #expect(try await board.facts()["expires"] == nil)
        let gone = try await board.call(.getItems(["change-count": .t(UInt64(count))], at: board.path))
        #expect(gone.error == BoardErrors.noSuchItem, "\(gone)")
    }

    @Test func `an earlier version that expires is released, and the others stay`() async throws {
        _ = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("held", on: peer)
        let clock = try await WireBoard.make("clock", on: peer, "other")
        let set = try await board.call(
            .properties(
                "Set", [.s("org.swiftipc.Pasteboard1"), .s("HistoryLimit"), .v(.u(5))], at: board.path))
        #expect(set.error == nil)
        let first = try await board.set("stays")
        let ending = try await board.set("ends", ["time-to-live": .t(200)])
        let last = try await board.set("stays too")
        let tick = try await clock.set("tick", ["time-to-live": .t(250)])
        _ = try await clock.change(after: tick)
        let gone = try await board.call(.getItems(["change-count": .t(UInt64(ending))], at: board.path))
        #expect(gone.error == BoardErrors.noSuchItem, "\(gone)")
        #expect(try await board.get(["change-count": .t(UInt64(first))]) == (first, ["stays"]))
        #expect(try await board.get() == (last, ["stays too"]))
        let counts = try await board.versions().compactMap { $0["change-count"]?.number }
        #expect(counts.contains(first) && counts.last == last && !counts.contains(ending))
    }

    @Test(arguments: [30, 1_000])
    func `I1: an expiration time survives kill -9`(milliseconds: UInt64) async throws {
        let broker = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        let board = try await WireBoard.make("short", on: peer)
        let long = try await WireBoard.make("long", on: peer, "other")
        let kept = try await long.set("kept", ["time-to-live": .t(600_000)])
        let expires = try await long.facts()["expires"]?.number
        let count = try await board.set("soon gone", ["time-to-live": .t(milliseconds)])
        try await broker.restart()
        let after = try await board.change(after: count)
        #expect(try await board.get() == (after, []))
        #expect(after > kept)
        #expect(try await long.get() == (kept, ["kept"]))
        #expect(try await long.facts()["expires"]?.number == expires)
    }

    @Test func `added items expire with the items that were already there`() async throws {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("short", on: try await WirePeer.start())
        try await board.set("first", ["time-to-live": .t(3_600_000)])
        let end = try #require(try await board.facts()["expires"]?.number)
        _ = try await board.call(.addItems(.item("second"), ["time-to-live": .t(36_000_000)], at: board.path))
        // The expiry is a wall-clock time, which the broker may round differently each time.
        let added = try #require(try await board.facts()["expires"]?.number)
        #expect(abs(added - end) < 1_000)
        _ = try await board.call(.addItems(.item("third"), ["time-to-live": .t(60_000)], at: board.path))
        #expect(try #require(try await board.facts()["expires"]?.number) < end - 1_800_000)
    }

    @Test func `a time to live of 0 is rejected`() async throws {
        _ = try await BrokerProcess.start()
        let board = try await WireBoard.make("short", on: try await WirePeer.start())
        let refused = try await board.call(.setItems(.item("x"), ["time-to-live": .t(0)], at: board.path))
        #expect(refused.error == "org.swiftipc.Error.InvalidArguments", "\(refused)")
    }
}
