import IPCModel
import IPCStore
import Testing

/// Writes that reuse the rows of the oldest version, and how they are rolled back.
@Suite(.serialized) struct OverwritingTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let other = PasteboardName.named("b")

    private struct Refused: Error {}

    init() throws { place = try TestPlace() }

    /// A store with an unfinished group. A failed operation in it must be undone alone, because the transaction of the
    /// group goes on.
    private func openWithGroup() async throws -> (Store, CommitGroup) {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        for text in ["one", "two", "three"] { try await store.put(text, on: board) }
        let staged = try await store.stage { transaction in
            _ = try transaction.createPasteboard(other, persistent: true)
            return try transaction.setItems([.string("other")], on: other)
        }
        return (store, staged.group)
    }

    private struct Seen: Equatable, Sendable {
        var facts: String
        var versions: [UInt64]
        var contents: [VersionContent]
        var usage: Usage
    }

    private func seen(_ transaction: borrowing StoreTransaction) throws -> Seen {
        let state = try transaction.pasteboard(board)
        let contents = try (state?.versions ?? []).map {
            try transaction.items(of: board, ReadOptions(changeCount: $0))
        }
        let facts = state.map {
            "\($0.name) \($0.changeCount) \($0.isPersistent) \($0.historyLimit) \($0.created) \($0.source)"
        }
        return Seen(
            facts: try #require(facts), versions: state?.versions ?? [], contents: contents,
            usage: transaction.usage().total)
    }

    @Test(arguments: [1, 2, 3])
    func failedOperationInAGroupChangesNothing_I2(writes: Int) async throws {
        let (store, group) = try await openWithGroup()
        let before = try await store.stage { try seen($0) }.value
        #expect(before.contents.map(\.items) == [[.string("two")], [.string("three")]])
        await #expect(throws: Refused.self) {
            try await store.stage { transaction in
                for number in 0..<writes {
                    let changed = try transaction.setItems([.string("lost, and longer \(number)")], on: board)
                    #expect(try transaction.items(of: board).facts.changeCount == changed)
                }
                throw Refused()
            }
        }
        #expect(try await store.stage { try seen($0) }.value == before)
        // The group is flushed without the failed operation, and every row has its checksum.
        try await store.commit { try $0.require(group) }
        try await store.close()
        let again = try place.open()
        #expect(again.report.quarantine == nil)
        #expect(try await again.commit { try seen($0) } == before)
        #expect(try await again.text(of: other) == "other")
        try await again.close()
    }

    @Test func failureAfterSeveralWritesRollsThemBackInOrder_I2() async throws {
        let (store, _) = try await openWithGroup()
        let before = try await store.stage { try seen($0) }.value
        await #expect(throws: Refused.self) {
            try await store.stage { transaction in
                _ = try transaction.setItems([.string("lost")], on: board)
                _ = try transaction.addItems([.string("lost too")], to: board)
                // This call sets a savepoint, so the operations from here on are undone in another way than those
                // before it.
                try transaction.setHistoryLimit(5, of: board)
                _ = try transaction.setItems([.string("x"), .string("y")], on: board)
                _ = try transaction.clear(board)
                _ = try transaction.removePasteboard(other)
                throw Refused()
            }
        }
        #expect(try await store.stage { try seen($0) }.value == before)
        try await store.close()
        let again = try place.open()
        #expect(try await again.commit { try seen($0) } == before)
        try await again.close()
    }

    @Test func versionWithSharedContentIsNotOverwritten() async throws {
        let store = try place.open()
        try await store.put("zero", on: board)
        try await store.put("one", on: board)
        let added = try await store.commit { try $0.addItems([.string("two")], to: board) }
        try await store.put("three", on: board)
        let earlier = try await store.commit { try $0.items(of: board, ReadOptions(changeCount: added)) }
        #expect(earlier.items == [.string("one"), .string("two")])
        try await store.put("four", on: board)
        try await store.close()
        let again = try place.open()
        #expect(try await again.text(of: board) == "four")
        try await again.close()
    }

    @Test func versionThatARequestHoldsIsNotOverwritten_I10() async throws {
        let store = try place.open()
        let request = place.request()
        let held = try await store.put("held", on: board)
        try await store.accept(request, .version(of: board, changeCount: held))
        for number in 0..<4 { try await store.put("\(number)", on: board) }
        #expect(try await store.attempt(request.id) == [.string("held")])
        try await store.close()
    }

    @Test func overwritingNeedsNoMoreRows() async throws {
        let store = try place.open()
        for number in 0..<40 { try await store.put("number \(number)", on: board) }
        let usage = try await store.commit { $0.usage().total }
        #expect(usage.items == 2 && usage.bytes == 18)
        try await store.close()
        // After a crash, the next start compares the total size of the rows with what the sources are charged for.
        let image = try Store.open(place.crashImage())
        #expect(try await image.commit { $0.usage().total } == usage)
        #expect(try await image.text(of: board) == "number 39")
        try await image.close()
    }

    // MARK: Ended requests

    @Test func repeatedEndedRequestGetsItsOutcome_I10() async throws {
        let store = try place.open()
        let request = place.request()
        let end = RequestEnd(.handled, reply: [.string("reply")])
        let steps = [place.step(.accepted)]
        try await store.accept(request, .none, trace: steps)
        _ = try await store.commit { try $0.requests.finish(request.id, end) }
        let known = try await store.commit { try $0.requests.begin(request) }
        #expect(known?.outcome == .handled && known?.reply == [.string("reply")] && known?.trace == steps)
        #expect(known?.state == .ended && known?.ended == place.clock.now && known?.attempts == 1)
        let different = place.request(request.id, arguments: [2])
        await #expect(throws: RequestError.identifierReused(request.id)) {
            try await store.commit { try $0.requests.begin(different) }
        }
        try await store.close()
        let again = try place.open()
        #expect(try await again.commit { try $0.requests.record(request.id) } == known)
        try await again.close()
    }

    @Test func failedRecordInAGroupIsAbsent_I2() async throws {
        let (store, _) = try await openWithGroup()
        let request = place.request()
        await #expect(throws: Refused.self) {
            try await store.stage { transaction in
                _ = try transaction.requests.begin(request)
                _ = try transaction.requests.finish(request.id, RequestEnd(.handled))
                throw Refused()
            }
        }
        #expect(try await store.stage { try $0.requests.record(request.id) }.value == nil)
        #expect(try await store.commit { try $0.requests.begin(request) } == nil)
        _ = try await store.commit { try $0.requests.finish(request.id, RequestEnd(.failed)) }
        #expect(try await store.commit { try $0.requests.record(request.id) }?.outcome == .failed)
        try await store.close()
    }

    @Test func payloadOfAnUnhandledRequestIsKeptAsLongAsItsRecord() async throws {
        let store = try place.open { $0.limits.endedRequestsKept = 2 }
        let requests = (0..<5).map { _ in place.request() }
        for request in requests {
            try await store.accept(request, .items([.string("kept")]))
            _ = try await store.commit { try $0.requests.finish(request.id, RequestEnd(.failed)) }
        }
        let found = try await store.commit { transaction in
            try requests.map { try transaction.requests.record($0.id) != nil }
        }
        #expect(found == [false, false, false, true, true])
        #expect(try await store.commit { $0.usage().total.items } == 2)
        try await store.close()
    }
}
