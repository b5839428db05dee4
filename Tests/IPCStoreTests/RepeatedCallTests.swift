import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct RepeatedCallTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    @Test(arguments: [true, false])
    func sameIdHasOneEffectAndTheSameResult_I10(persistent: Bool) async throws {
        let store = try place.open()
        try await store.put("start", on: board, persistent: persistent)
        let options = WriteOptions(id: .random())
        let first = try await store.commit { try $0.addItems([.string("more")], to: board, options) }
        for _ in 0..<5 {
            let again = try await store.commit { try $0.addItems([.string("more")], to: board, options) }
            #expect(again == first)
        }
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items.map(\.string) == ["start", "more"])
        // The control: the same call with another id adds the items again.
        let other = try await store.commit {
            try $0.addItems([.string("more")], to: board, WriteOptions(id: .random()))
        }
        #expect(other > first)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func valuesAreComparedByBytesNotByTransport_I10(persistent: Bool) async throws {
        let store = try place.open()
        try await store.put("start", on: board, persistent: persistent)
        let bytes = ValueFile.pattern(70_000)
        let options = WriteOptions(id: .random())
        func set(_ item: PasteboardItem) async throws -> UInt64 {
            try await store.withIntake(of: [item], on: board) { items in
                try await store.commit { try $0.setItems(items, on: board, options) }
            }
        }
        let first = try await set(.data(bytes))
        #expect(try await set(ValueFile.sealed.item(bytes, type: .octetStream)) == first)
        // The control: with other bytes under the same id, the call is rejected.
        await #expect(throws: PasteboardError.self) { _ = try await set(.data(ValueFile.pattern(70_000, seed: 2))) }
        try await store.close()
    }

    @Test func repetitionInTheSameGroupHasOneEffect_I10() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("start", on: board)
        let options = WriteOptions(id: .random())
        let first = try await store.stage { try $0.setItems([.string("x")], on: board, options) }
        let again = try await store.stage { try $0.setItems([.string("x")], on: board, options) }
        #expect(first.value == again.value)
        try await store.close()
    }

    @Test func repetitionIsRecognizedAfterARestartAndACrash_I10() async throws {
        let store = try place.open()
        try await store.put("start", on: board)
        let options = WriteOptions(id: .random())
        let first = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        let image = try Store.open(place.crashImage())
        let afterCrash = try await image.commit { try $0.setItems([.string("x")], on: board, options) }
        try await image.close()
        try await store.close()
        let again = try place.open()
        let afterRestart = try await again.commit { try $0.setItems([.string("x")], on: board, options) }
        #expect(afterCrash == first && afterRestart == first)
        try await again.close()
    }

    @Test func otherArgumentsAreRefused() async throws {
        let store = try place.open()
        try await store.put("start", on: board)
        try await store.put("other", on: .named("b"))
        let id = RequestID.random()
        let options = WriteOptions(id: id)
        _ = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        let attempts: [@Sendable (borrowing StoreTransaction) throws -> UInt64] = [
            { try $0.setItems([.string("y")], on: .named("a"), options) },
            { try $0.setItems([.string("x")], on: .named("b"), options) },
            { try $0.addItems([.string("x")], to: .named("a"), options) },
            { try $0.clear(.named("a"), options) },
            { try $0.setItems([.data(Array("x".utf8), type: .utf8PlainText)], on: .named("a"), options) },
            { try $0.takeItems(of: .named("a"), ReadOptions(id: id)).changeCount },
        ]
        for attempt in attempts {
            await #expect(throws: PasteboardError.identifierReused(id)) { try await store.commit(attempt) }
        }
        try await store.close()
    }

    @Test func refusedCallIsNotRemembered() async throws {
        let store = try place.open()
        let count = try await store.put("start", on: board)
        let options = WriteOptions(ifChangeCount: count + 1, id: .random())
        await #expect(throws: PasteboardError.self) { try await store.commit { try $0.clear(board, options) } }
        await #expect(throws: PasteboardError.changeCountMismatch(expected: count + 1, actual: count)) {
            try await store.commit { try $0.clear(board, options) }
        }
        try await store.close()
    }

    @Test func callOfAFailedOperationIsNotRemembered_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("start", on: board)
        let options = WriteOptions(id: .random())
        _ = try await store.stage { try $0.clear(.general) }
        await #expect(throws: Refusal.self) {
            try await store.stage { transaction in
                _ = try transaction.setItems([.string("x")], on: board, options)
                throw Refusal()
            }
        }
        _ = try await store.commit { try $0.setItems([.string("y")], on: board, options) }
        #expect(try await store.text(of: board) == "y")
        try await store.close()
    }

    @Test func callsAreRememberedForExactlyTenMinutes() async throws {
        let store = try place.open()
        try await store.put("start", on: board)
        let options = WriteOptions(id: .random())
        let first = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        place.clock.advance(seconds: 599)
        let second = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        place.clock.goBack(seconds: 10_000)
        let back = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        place.clock.advance(seconds: 10_001)
        let third = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        #expect(second == first && back == first && third > first)
        // The id now belongs to the third call, and is still remembered when the row of the first call is deleted.
        for _ in 0..<5 { _ = try await store.commit { try $0.clear(.general, WriteOptions(id: .random())) } }
        let fourth = try await store.commit { try $0.setItems([.string("x")], on: board, options) }
        #expect(fourth == third)
        try await store.close()
    }

    @Test func oldestCallsAreForgottenFirst() async throws {
        let store = try place.open { $0.operationsKept = 10 }
        try await store.put("start", on: board)
        let ids = (0..<100).map { _ in RequestID.random() }
        var counts: [UInt64] = []
        for id in ids { counts.append(try await store.commit { try $0.clear(board, WriteOptions(id: id)) }) }
        for index in 90..<100 {
            let again = try await store.commit { try $0.clear(board, WriteOptions(id: ids[index])) }
            #expect(again == counts[index])
        }
        let forgotten = try await store.commit { try $0.clear(board, WriteOptions(id: ids[0])) }
        #expect(forgotten > counts[99])
        try await store.close()
    }
}
