import IPCModel
import IPCStore
import Testing

/// Versions with a time-to-live.
@Suite(.serialized) struct ExpiryTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    private func put(
        _ text: String, _ timeToLive: UInt64?, in store: Store, persistent: Bool = true
    ) async throws -> UInt64 {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            return try transaction.setItems([.string(text)], on: board, WriteOptions(timeToLive: timeToLive))
        }
    }

    @Test(arguments: [true, false])
    func expiryTakesAChangeCountAndLeavesNothing_I11(persistent: Bool) async throws {
        let store = try place.open()
        let count = try await put("short", 1_000, in: store, persistent: persistent)
        place.pass(999)
        #expect(try await store.text(of: board) == "short")
        #expect(try await store.commit { try $0.expire() } == place.uptime.now + 1)
        place.pass(1)
        #expect(try await store.commit { try $0.expire() } == nil)
        let state = try #require(try await store.commit { try $0.pasteboard(board) })
        #expect(state.changeCount > count && !state.versions.contains(count))
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items.isEmpty && content.facts.changeCount == state.changeCount)
        let changes = try await store.commit { try $0.changes(since: count) }
        #expect(changes.changed.map(\.changeCount) == [state.changeCount])
        #expect(try await store.commit { $0.usage() }.total.items == 0)
        try await store.close()
    }

    @Test func expiredContentIsUnreadableEvenBeforeExpireRuns() async throws {
        let store = try place.open()
        let reads: [@Sendable (borrowing StoreTransaction, PasteboardName) throws -> Int] = [
            { try $0.items(of: $1).items.count },
            { try $0.facts(of: $1).itemCount },
            { try $0.types(of: $1).count },
            { try $0.takeItems(of: $1).content.items.count },
            { try $0.versions(of: $1).last?.types.count ?? -1 },
            { transaction, name in
                _ = try transaction.addItems([], to: name)
                return try transaction.items(of: name).items.count
            },
        ]
        for read in reads {
            let count = try await put("short", 1_000, in: store)
            // The control: a millisecond before it expires, each kind of read finds the content.
            place.pass(999)
            await #expect(throws: Found.self) {
                try await store.commit { if try read($0, board) == 1 { throw Found() } }
            }
            place.pass(1)
            #expect(try await store.commit { try read($0, board) } == 0)
            await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
                try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
            }
        }
        try await store.close()
    }

    @Test func compareAndSetOnAnExpiredVersionFails() async throws {
        let store = try place.open()
        let count = try await put("short", 1_000, in: store)
        place.pass(1_000)
        await #expect(throws: PasteboardError.changeCountMismatch(expected: count, actual: count + 1)) {
            try await store.commit {
                try $0.setItems([.string("late")], on: board, WriteOptions(ifChangeCount: count))
            }
        }
        try await store.close()
    }

    @Test func expiredEarlierVersionIsReleased() async throws {
        let store = try place.open()
        let first = try await put("short", 1_000, in: store)
        let second = try await put("long", nil, in: store)
        #expect(try await store.commit { try $0.items(of: board, ReadOptions(changeCount: first)) }.items.count == 1)
        place.pass(1_000)
        await #expect(throws: PasteboardError.noSuchVersion(board, first)) {
            try await store.commit { try $0.items(of: board, ReadOptions(changeCount: first)) }
        }
        let state = try #require(try await store.commit { try $0.pasteboard(board) })
        #expect(state.versions == [second])
        #expect(try await store.text(of: board) == "long")
        try await store.close()
    }

    @Test func contentKeptForARepeatedTakeExpiresToo() async throws {
        let store = try place.open()
        _ = try await put("short", 1_000, in: store)
        let options = ReadOptions(id: .random())
        let first = try await store.commit { try $0.takeItems(of: board, options).content }
        place.pass(999)
        #expect(try await store.commit { try $0.takeItems(of: board, options).content } == first)
        place.pass(1)
        await #expect(throws: PasteboardError.noSuchVersion(board, first.facts.changeCount)) {
            try await store.commit { try $0.takeItems(of: board, options).content }
        }
        // The call is remembered for ten minutes, although the content that was kept for it has expired.
        #expect(try await store.commit { try $0.expire() } == place.uptime.now + 599_000)
        place.pass(599_000)
        #expect(try await store.commit { try $0.expire() } == nil)
        try await store.close()
    }

    @Test(arguments: [-100_000_000, -1_000, 1_000, 100_000_000] as [Int64])
    func wallClockMayJumpWhileTheBrokerRuns(by jump: Int64) async throws {
        let store = try place.open()
        _ = try await put("short", 60_000, in: store)
        place.clock.jump(jump)
        place.pass(59_999)
        #expect(try await store.text(of: board) == "short")
        place.pass(1)
        #expect(try await store.text(of: board) == nil)
        try await store.close()
    }

    /// `away` is how far the wall clock moves while the broker is not running. `left` is the remaining time of content
    /// that was written with a time-to-live of 60 s, 10 s before the broker stopped.
    @Test(
        arguments: [
            (0, 50_000), (20_000, 30_000), (50_000, 0), (1_000_000_000, 0), (-5_000, 55_000), (-10_000, 60_000),
            (-1_000_000_000, 60_000),
        ] as [(Int64, UInt64)])
    func restartUsesTheWallClockAndNeverExtendsTheTime(away: Int64, left: UInt64) async throws {
        var store = try place.open()
        _ = try await put("short", 60_000, in: store)
        place.pass(10_000)
        let image = try place.crashImage()
        try await store.close()
        place.clock.jump(away)
        // The uptime goes back, as if the system had been restarted.
        place.uptime.jump(-14_000_000)
        for configuration in [image, place.configuration()] {
            store = try Store.open(configuration)
            let uptime = place.uptime.now
            #expect(try await store.commit { $0.nextExpiry } == uptime + left)
            #expect(try await store.text(of: board) == (left == 0 ? nil : "short"))
            try await store.close()
        }
    }

    @Test func addedItemsExpireWithTheExistingOnes() async throws {
        let store = try place.open()
        _ = try await put("first", 10_000, in: store)
        place.pass(4_000)
        // Setting the wall clock in the meantime makes no difference: only the elapsed time counts.
        place.clock.jump(-3_600_000)
        for timeToLive in [nil, 60_000, 6_001] as [UInt64?] {
            _ = try await store.commit {
                try $0.addItems([.string("more")], to: board, WriteOptions(timeToLive: timeToLive))
            }
        }
        let facts = try await store.commit { try $0.facts(of: board) }
        #expect(facts.expiresAt == place.clock.now + 6_000)
        place.pass(6_000)
        #expect(try await store.text(of: board) == nil)
        // If an added item expires earlier than the existing ones, all of them expire at that time.
        _ = try await put("first", 10_000, in: store)
        _ = try await store.commit { try $0.addItems([.string("more")], to: board, WriteOptions(timeToLive: 5)) }
        place.pass(5)
        #expect(try await store.text(of: board) == nil)
        try await store.close()
    }

    @Test func failedOperationRestoresTheExpiration_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        _ = try await put("short", 1_000, in: store)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.string("never")], on: board, WriteOptions(timeToLive: 1))
                throw Refusal()
            }
        }
        #expect(try await store.commit { $0.nextExpiry } == place.uptime.now + 1_000)
        place.pass(1_000)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.expire()
                throw Refusal()
            }
        }
        #expect(try await store.commit { $0.nextExpiry } == place.uptime.now)
        #expect(try await store.text(of: board) == nil)
        try await store.close()
    }

    @Test func thousandsExpireInBatches() async throws {
        let store = try place.open()
        let names = (0..<1_000).map { PasteboardName.named("board \($0)") }
        try await store.commit { transaction in
            for (index, name) in names.enumerated() {
                _ = try transaction.createPasteboard(name, persistent: index % 2 == 0)
                _ = try transaction.setItems([.string("x")], on: name, WriteOptions(timeToLive: UInt64(1 + index % 7)))
            }
        }
        place.pass(7)
        var calls = 0
        while let next = try await store.commit({ try $0.expire() }) {
            #expect(next <= place.uptime.now)
            calls += 1
        }
        #expect(calls >= 2)
        #expect(try await store.commit { $0.usage() }.total.items == 0)
        try await store.close()
    }

    @Test func replacedExpirationsUseNoMemory() async throws {
        let store = try place.open()
        for _ in 0..<5_000 {
            _ = try await store.stage { transaction in
                try transaction.setItems([.string("x")], on: .general, WriteOptions(timeToLive: 1_000_000))
            }
        }
        _ = try await store.commit { try $0.clear(.general) }
        #expect(try await store.commit { $0.nextExpiry } != nil)
        try await store.commit { try $0.setHistoryLimit(0, of: .general) }
        #expect(try await store.commit { $0.nextExpiry } == nil)
        try await store.close()
    }
}

private struct Found: Error {}
