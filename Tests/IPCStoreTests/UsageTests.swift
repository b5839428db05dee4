import IPCModel
import Testing

@testable import IPCStore

/// The usage of each source, and its limits.
@Suite(.serialized) struct UsageTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let alice = Source(application: "demo.Alice", strength: .claimed)
    let bob = Source(application: "demo.Bob", strength: .claimed)

    init() throws { place = try TestPlace() }

    private func use(_ store: Store) async throws -> StoreUsage { try await store.commit { $0.usage() } }

    private func set(
        _ bytes: Int, items: Int = 1, on name: PasteboardName, _ source: Source, in store: Store
    ) async throws {
        let values = (0..<items).map { PasteboardItem.data(Array(repeating: 1, count: $0 == 0 ? bytes : 0)) }
        _ = try await store.commit { try $0.setItems(values, on: name, WriteOptions(source: source)) }
    }

    private func make(_ name: String, _ source: Source, persistent: Bool = true, in store: Store) async throws {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(.named(name), persistent: persistent, source: source)
            try transaction.setHistoryLimit(0, of: .named(name))
        }
    }

    @Test(arguments: [true, false])
    func everyVersionIsChargedToItsWriter(persistent: Bool) async throws {
        let store = try place.open()
        try await make("a", alice, persistent: persistent, in: store)
        try await store.commit { try $0.setHistoryLimit(2, of: board) }
        try await set(10, on: board, alice, in: store)
        try await set(20, items: 3, on: board, bob, in: store)
        var state = try await use(store)
        #expect(state.bySource.map(\.source) == ["", "demo.Alice", "demo.Bob"])
        #expect(state.bySource.map(\.usage.pasteboards) == [1, 1, 0])
        #expect(state.bySource.map(\.usage.items) == [0, 1, 3])
        #expect(state.bySource.map(\.usage.bytes) == [0, 10, 20])
        #expect(state.total == Usage(pasteboards: 2, items: 4, bytes: 30))
        #expect(state.memoryBytes == (persistent ? 0 : 30))
        // Content kept for a repeated take also counts. If versions share content, each of them is charged for it.
        _ = try await store.commit { transaction in
            _ = try transaction.addItems([.string("1234")], to: board, WriteOptions(source: alice))
            _ = try transaction.takeItems(of: board, ReadOptions(id: .random()))
        }
        state = try await use(store)
        #expect(state.bySource[1].usage == Usage(pasteboards: 1, items: 5, bytes: 34))
        try await store.commit { try $0.setPersistent(!persistent, of: board) }
        #expect(try await use(store).total == Usage(pasteboards: 2, items: 8, bytes: 54))
        try await store.commit { try $0.removePasteboard(board) }
        #expect(try await use(store).total == Usage(pasteboards: 1, items: 4, bytes: 24))
        try await store.close()
    }

    @Test(arguments: ["items", "items-per-source", "stored-bytes", "stored-bytes-per-source", "memory-bytes"])
    func limitIsExact(name: String) async throws {
        let isBytes = name.contains("bytes")
        var limits = Limits()
        try limits.set(name, 100)
        let store = try place.open { $0.limits = limits }
        func used() async throws -> UInt64 {
            let total = try await use(store).total
            return isBytes ? total.bytes : total.items
        }
        for board in ["a", "b"] { try await make(board, alice, persistent: name != "memory-bytes", in: store) }
        func fill(_ amount: Int, on name: String) async throws {
            try await set(isBytes ? amount : 0, items: isBytes ? 1 : amount, on: .named(name), alice, in: store)
        }
        for amount in [99, 100] {
            try await fill(amount, on: "a")
            #expect(try await used() == UInt64(amount))
            try await store.commit { try $0.clear(board) }
        }
        await #expect(
            throws: LimitExceeded(limit: name, use: 0, request: 101, allowed: 100)
        ) { try await fill(101, on: "a") }
        try await fill(60, on: "a")
        await #expect(
            throws: LimitExceeded(limit: name, use: 60, request: 41, allowed: 100)
        ) { try await fill(41, on: "b") }
        try await fill(40, on: "b")
        // Replaced content makes room in the same step; an operation that needs no room is never rejected.
        try await fill(59, on: "a")
        try await store.commit { try $0.clear(.named("b")) }
        #expect(try await used() == 59)
        // The control: a limit on one source does not affect another one.
        let others = name.hasSuffix("per-source") ? 100 : 1
        try await set(isBytes ? others : 0, items: isBytes ? 1 : others, on: .named("b"), bob, in: store)
        try await store.close()
    }

    @Test func limitsOfPasteboardsAreExact() async throws {
        let store = try place.open { ($0.limits.pasteboards, $0.limits.pasteboardsPerSource) = (5, 2) }
        for name in ["a", "b"] { try await make(name, alice, persistent: name == "a", in: store) }
        await #expect(
            throws: LimitExceeded(limit: "pasteboards-per-source", use: 2, request: 1, allowed: 2)
        ) {
            try await make("c", alice, in: store)
        }
        for name in ["c", "d"] { try await make(name, bob, in: store) }
        await #expect(
            throws: LimitExceeded(limit: "pasteboards", use: 5, request: 1, allowed: 5)
        ) {
            try await make("e", .nobody, in: store)
        }
        try await store.commit { try $0.removePasteboard(board) }
        try await make("e", alice, in: store)
        try await store.close()
    }

    /// A write that can never fit is reported as such, even if another limit is reached too.
    @Test func writeThatNeverFitsIsReportedAsThat() async throws {
        let store = try place.open { ($0.limits.itemsPerSource, $0.limits.storedBytes) = (2, 100) }
        try await make("a", alice, in: store)
        try await make("b", alice, in: store)
        try await set(1, items: 2, on: board, alice, in: store)
        await #expect(
            throws: LimitExceeded(limit: "stored-bytes", use: 0, request: 101, allowed: 100)
        ) { try await set(101, on: .named("b"), alice, in: store) }
        // The control: this write is small enough for the store, so the error names the other limit, the number of
        // items.
        await #expect(
            throws: LimitExceeded(limit: "items-per-source", use: 2, request: 1, allowed: 2)
        ) { try await set(99, on: .named("b"), alice, in: store) }
        try await store.close()
    }

    @Test func concurrentCallersNeverExceedALimit() async throws {
        let store = try place.open { $0.limits.itemsPerSource = 100 }
        for index in 0..<8 { try await make("board \(index)", alice, in: store) }
        let refused = await withTaskGroup(of: Int.self) { group in
            for index in 0..<8 {
                group.addTask {
                    var refused = 0
                    for _ in 0..<20 {
                        let name = PasteboardName.named("board \(index)")
                        let options = WriteOptions(source: alice)
                        do {
                            _ = try await store.commit { try $0.addItems([.string("x")], to: name, options) }
                        } catch {
                            refused += 1
                        }
                    }
                    return refused
                }
            }
            return await group.reduce(0, +)
        }
        #expect(refused == 60)
        #expect(try await use(store).bySource.last?.usage == Usage(pasteboards: 8, items: 100, bytes: 100))
        try await store.close()
    }

    @Test func failedOperationIsNotCharged_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        try await make("a", alice, in: store)
        try await set(10, on: board, alice, in: store)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.string("never")], on: board, WriteOptions(source: bob))
                _ = try transaction.createPasteboard(.named("b"), persistent: false, source: bob)
                throw Refusal()
            }
        }
        let state = try await use(store)
        #expect(state.total == Usage(pasteboards: 2, items: 1, bytes: 10) && state.bySource.count == 2)
        try await store.close()
    }

    @Test func usageIsKnownAfterARestartAndACrash() async throws {
        let store = try place.open()
        try await make("a", alice, in: store)
        try await make("b", bob, persistent: false, in: store)
        try await set(10, on: board, bob, in: store)
        try await set(20, on: .named("b"), bob, in: store)
        _ = try await store.stage { try $0.clear(.general) }
        let image = try place.crashImage()
        try await store.close()
        for configuration in [image, place.configuration()] {
            let again = try Store.open(configuration)
            let state = try await use(again)
            #expect(state.bySource.map(\.source) == ["", "demo.Alice", "demo.Bob"])
            #expect(
                state.bySource.map(\.usage) == [
                    Usage(pasteboards: 1), Usage(pasteboards: 1), Usage(items: 1, bytes: 10),
                ])
            try await again.close()
        }
    }

    @Test func usageIsRecomputedAfterARowIsDamaged_I5() async throws {
        let store = try place.open()
        try await make("a", alice, in: store)
        let source = Source(application: "demo.SourceOfTheVersion", strength: .claimed)
        for size in [10, 20] { try await set(size, on: board, source, in: store) }
        try await store.close()
        var file = try place.bytes(place.database)
        // The name is in two rows: at the start of the source's usage row, and after some numbers in the version's row.
        let pattern = Array("demo.Alice".utf8)
        let places = (0...file.count - pattern.count).filter { file[$0..<$0 + pattern.count].elementsEqual(pattern) }
        try #require(places.count == 2)
        let before = file
        for start in places {
            // The byte after the name is part of a number in one row, and part of a checksum in the other.
            file = before
            file[start + pattern.count] ^= 1
            try place.write(file, to: place.database)
            let again = try place.open()
            let state = try await use(again)
            #expect(state.total == Usage(pasteboards: 2, items: 1, bytes: 20))
            try await again.close()
        }
    }
}
