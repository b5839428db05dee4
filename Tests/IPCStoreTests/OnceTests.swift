import IPCModel
import IPCStore
import Testing

/// Versions that their first reader consumes.
@Suite(.serialized) struct OnceTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    private func put(_ items: [PasteboardItem], in store: Store, persistent: Bool = true) async throws -> UInt64 {
        try await store.commit { transaction in
            _ = try transaction.createPasteboard(board, persistent: persistent)
            return try transaction.setItems(items, on: board, WriteOptions(isOnce: true))
        }
    }

    @Test(arguments: [true, false])
    func oneReaderOfManyGetsTheContent_I12(persistent: Bool) async throws {
        let store = try place.open()
        let count = try await put([.string("prize")], in: store, persistent: persistent)
        let readers = await withTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
                group.addTask { [board] in
                    let found = try? await store.commit { transaction in
                        if number % 2 == 0 { return try transaction.items(of: board).items.count }
                        return (try? transaction.representation(0, .utf8PlainText, of: board)) == nil ? 0 : 1
                    }
                    return found ?? -1
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(readers == [1: 1, 0: 63])
        let state = try #require(try await store.commit { try $0.pasteboard(board) })
        #expect(state.changeCount > count)
        // The control: without the restriction to one reader, every read finds the content.
        try await store.put("for all", on: board)
        for _ in 0..<3 { #expect(try await store.text(of: board) == "for all") }
        try await store.close()
    }

    @Test func consumedVersionIsNotInTheHistoryAndItsPredecessorStays_I12() async throws {
        let store = try place.open()
        try await store.put("before", on: board)
        try await store.commit { try $0.setHistoryLimit(5, of: board) }
        let before = try #require(try await store.commit { try $0.pasteboard(board)?.changeCount })
        let count = try await put([.string("prize")], in: store)
        #expect(try await store.text(of: board) == "prize")
        await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
            try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
        }
        let earlier = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: before)) }
        #expect(earlier.items == [.string("before")])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func replacedVersionIsNotKeptForASecondReader_I12(restarts: Bool) async throws {
        var store = try place.open()
        let count = try await put([.string("prize")], in: store)
        if restarts {
            try await store.close()
            store = try place.open()
        }
        _ = try await store.commit { try $0.addItems([.string("more")], to: board) }
        await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
            try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
        }
        // Added content is also only for the one reader of the existing content.
        let content = try await store.commit { try $0.items(of: board) }
        #expect(content.items == [.string("prize"), .string("more")] && content.facts.isOnce)
        #expect(try await store.text(of: board) == nil)
        try await store.close()
    }

    @Test func factsAndTypesDoNotConsume() async throws {
        let store = try place.open()
        _ = try await put([.string("prize")], in: store)
        for _ in 0..<2 {
            let facts = try await store.commit { try $0.facts(of: board) }
            #expect(facts.isOnce && facts.itemCount == 1 && facts.byteCount == 5)
            #expect(try await store.commit { try $0.types(of: board) } == [[.utf8PlainText]])
            #expect(try await store.commit { try $0.versions(of: board).last?.types } == [[.utf8PlainText]])
            // A read that returns nothing, because no type matches, does not consume the content.
            #expect(
                try await store.commit { try $0.items(of: board, ReadOptions(types: [.png])) }.items.allSatisfy(
                    \.types.isEmpty))
            await #expect(throws: PasteboardError.self) {
                try await store.commit { try $0.representation(0, .png, of: board).facts }
            }
        }
        #expect(try await store.text(of: board) == "prize")
        try await store.close()
    }

    @Test func failedReadConsumesNothing_I2() async throws {
        struct Refusal: Error {}
        let store = try place.open()
        _ = try await put([.string("prize")], in: store)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                #expect(try transaction.items(of: board).items.count == 1)
                #expect(try transaction.items(of: board).items.isEmpty)
                throw Refusal()
            }
        }
        #expect(try await store.text(of: board) == "prize")
        try await store.close()
    }

    @Test func consumedVersionStaysConsumedAfterARestartAndACrash() async throws {
        let store = try place.open()
        _ = try await put([.string("prize")], in: store)
        let before = try Store.open(place.crashImage("before"))
        #expect(try await before.text(of: board) == "prize")
        try await before.close()
        #expect(try await store.text(of: board) == "prize")
        let after = try Store.open(place.crashImage("after"))
        #expect(try await after.text(of: board) == nil)
        try await after.close()
        try await store.close()
        let again = try place.open()
        #expect(try await again.text(of: board) == nil)
        try await again.close()
    }
}
