import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct ChangeCountTests {
    let place: TestPlace
    let kept = PasteboardName.named("kept")
    let passing = PasteboardName.named("passing")

    init() throws { place = try TestPlace() }

    /// Makes a few changes to a store, and returns their change counts, in order.
    private func use(_ store: Store) async throws -> [UInt64] {
        var counts: [UInt64] = []
        counts.append(try await store.put("1", on: kept))
        counts.append(try await store.put("2", on: passing, persistent: false))
        counts.append(try await store.commit { try $0.removePasteboard(passing) })
        counts.append(try await store.put("3", on: passing, persistent: false))
        counts.append(try await store.stage { try $0.setItems([.string("4")], on: kept) }.value)
        counts.append(try await store.commit { try $0.removePasteboard(kept) })
        return counts
    }

    @Test func noCountIsUsedTwiceAcrossRestarts_I11() async throws {
        var all: [UInt64] = []
        for round in 0..<5 {
            let store = try place.open()
            all += try await use(store)
            if round == 2 { place.clock.goBack(seconds: 1_000_000) }
            try await store.close()
        }
        #expect(all == Array(Set(all)).sorted())
        // A store that is closed cleanly gives back the change counts that it had reserved but not used.
        #expect(try #require(all.last) < 100)
    }

    @Test func noCountIsUsedTwiceAcrossCrashes_I11() async throws {
        var all: [UInt64] = []
        var configuration = place.configuration()
        for round in 0..<5 {
            let store = try Store.open(configuration)
            // Callers have seen the counts of changes in memory and of staged changes, although the crash loses those
            // changes.
            try await store.put("x", on: passing, persistent: false)
            all += try await use(store)
            configuration = try place.crashImage(of: configuration.directory, "image-\(round)")
            try await store.close()
        }
        #expect(all == Array(Set(all)).sorted())
    }

    @Test func countOfAFailedOperationIsNotReused_I11() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        let shown = try await store.put("1", on: kept)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                #expect(try transaction.setItems([.string("x")], on: kept) == shown + 1)
                throw Refusal()
            }
        }
        #expect(try await store.put("2", on: kept) == shown + 2)
        try await store.close()
    }

    @Test func countsGrowAcrossReservedBlocks_I11() async throws {
        let store = try place.open { $0.limits.removalsKept = 100 }
        try await store.put("", on: kept, persistent: false)
        var last: UInt64 = 0
        // Uses more change counts than one reserved block of 65,536. All changes are in memory, but each reservation
        // must be written to disk.
        for _ in 0..<80 {
            let counts = try await store.commit { transaction in
                try (0..<1_000).map { _ in try transaction.clear(kept) }
            }
            #expect(counts[0] > last && counts == counts.sorted())
            last = counts[999]
        }
        let image = try Store.open(place.crashImage())
        #expect(try await image.put("", on: kept) > last)
        try await image.close()
        try await store.close()
    }
}
