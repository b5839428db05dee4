import IPCModel
import Testing

@testable import IPCStore

@Suite(.serialized) struct TakeTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    @Test(arguments: [true, false])
    func takeReachesExactlyOneReader_I12(persistent: Bool) async throws {
        let store = try place.open()
        try await store.put("prize", on: board, persistent: persistent)
        let winners = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask { [board] in
                    let taken = try? await store.commit { try $0.takeItems(of: board).content.items }
                    return taken?.count ?? -1
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(winners == [1: 1, 0: 63])
        try await store.close()
    }

    @Test func takenVersionIsNotInTheHistory_I12() async throws {
        let store = try place.open()
        let count = try await store.put("prize", on: board)
        let after = try await store.commit { try $0.takeItems(of: board).changeCount }
        #expect(after > count)
        await #expect(throws: PasteboardError.noSuchVersion(board, count)) {
            try await store.commit { try $0.items(of: board, ReadOptions(changeCount: count)) }
        }
        try await store.close()
    }

    @Test func takingFromAnEmptyPasteboardChangesNothing() async throws {
        let store = try place.open()
        try await store.put("prize", on: board)
        let cleared = try await store.commit { try $0.clear(board) }
        let taken = try await store.commit { try $0.takeItems(of: board) }
        #expect(taken.content.items.isEmpty && taken.changeCount == cleared)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func repeatedTakeReturnsTheSameContent_I10(persistent: Bool) async throws {
        let store = try place.open()
        try await store.put("prize", on: board, persistent: persistent)
        let options = ReadOptions(id: .random())
        let first = try await store.commit { try $0.takeItems(of: board, options) }
        try await store.put("next", on: board)
        try await store.put("after next", on: board)
        let again = try await store.commit { try $0.takeItems(of: board, options) }
        #expect(again.content == first.content && again.changeCount == first.changeCount)
        #expect(again.content.items == [.string("prize")])
        #expect(try await store.text(of: board) == "after next")
        try await store.close()
    }

    @Test func repeatedTakeWorksAfterARestartAndTheRemoval_I10() async throws {
        var store = try place.open()
        try await store.put("prize", on: board)
        let options = ReadOptions(id: .random())
        _ = try await store.commit { try $0.takeItems(of: board, options) }
        try await store.commit { try $0.removePasteboard(board) }
        try await store.close()
        store = try place.open()
        let again = try await store.commit { try $0.takeItems(of: board, options).content.items }
        #expect(again == [.string("prize")])
        try await store.close()
    }

    @Test func takenContentIsGoneAfterTenMinutes() async throws {
        let store = try place.open()
        try await store.put("prize of long ago", on: board)
        let options = ReadOptions(id: .random())
        _ = try await store.commit { try $0.takeItems(of: board, options) }
        try await store.put("next", on: board)
        place.clock.advance(seconds: 600)
        // The kept content has expired, and the next call with an id releases it.
        _ = try await store.commit { try $0.clear(.general, WriteOptions(id: .random())) }
        let again = try await store.commit { try $0.takeItems(of: board, options).content.items }
        #expect(again == [.string("next")])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func contentKeptForTheReaderIsReleasedInTime(persistent: Bool) async throws {
        var store = try place.open()
        try await store.put("prize", on: board, persistent: persistent)
        #expect(try await store.commit { $0.nextExpiry } == nil)
        _ = try await store.commit { try $0.takeItems(of: board, ReadOptions(id: .random())).content }
        // A failed operation takes nothing.
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.string("x")], on: board)
                _ = try transaction.takeItems(of: board, ReadOptions(id: .random())).content
                throw Refusal()
            }
        }
        if persistent {
            try await store.close()
            store = try place.open()
        }
        #expect(try await store.commit { $0.nextExpiry } == place.uptime.now + 600_000)
        place.pass(599_999)
        #expect(try await store.commit { try $0.expire() } == place.uptime.now + 1)
        #expect(try await store.commit { $0.usage() }.total.bytes == 5)
        place.pass(1)
        await #expect(throws: Refusal.self) {
            try await store.commit { transaction in
                #expect(try transaction.expire() == nil)
                throw Refusal()
            }
        }
        #expect(try await store.commit { $0.nextExpiry } == place.uptime.now)
        #expect(try await store.commit { try $0.expire() } == nil)
        #expect(try await store.commit { $0.usage() }.total == Usage(pasteboards: 2))
        try await store.close()
    }

    @Test func keptContentIsReleasedInBatches() async throws {
        let store = try place.open()
        for _ in 0..<300 {
            try await store.put("prize", on: board, persistent: false)
            _ = try await store.commit { try $0.takeItems(of: board, ReadOptions(id: .random())).content }
        }
        place.pass(600_000)
        #expect(try await store.commit { try $0.expire() } == place.uptime.now)
        #expect(try await store.commit { $0.usage() }.total.items == 44)
        #expect(try await store.commit { try $0.expire() } == nil)
        #expect(try await store.commit { $0.usage() }.total.items == 0)
        try await store.close()
    }

    @Test func takeAtAChangeCountIsACompareAndSet() async throws {
        let store = try place.open()
        let first = try await store.put("one", on: board)
        let second = try await store.put("two", on: board)
        await #expect(throws: PasteboardError.changeCountMismatch(expected: first, actual: second)) {
            try await store.commit { try $0.takeItems(of: board, ReadOptions(changeCount: first)).content }
        }
        let taken = try await store.commit { try $0.takeItems(of: board, ReadOptions(changeCount: second)).content }
        #expect(taken.items == [.string("two")])
        try await store.close()
    }
}
