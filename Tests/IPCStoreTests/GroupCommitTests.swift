import IPCModel
import IPCStore
import Synchronization
import Testing

@Suite(.serialized) struct GroupCommitTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    @Test func manyOperationsShareACommit() async throws {
        let store = try place.open()
        try await store.put("first", on: board)
        let before = store.statistics.snapshot
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await store.commit { try $0.setItems([.string("\(number)")], on: board) }
                }
            }
            var counts: Set<UInt64> = []
            for try await count in group { counts.insert(count) }
            #expect(counts.count == 500)
        }
        let after = store.statistics.snapshot
        #expect(after.operations - before.operations == 500)
        #expect(after.commits - before.commits < 250)
        #expect(after.commits > before.commits)
        try await store.close()
    }

    /// Each of these operations takes 20 ms, and the next one is there before it ends.
    @Test func `I15: a group takes no more operations after some time`() async throws {
        let store = try place.open()
        try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        let ended = Mutex<[Int]>([])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        @Sendable func begin(_ number: Int) {
            store.commit { [board, place] transaction in
                place.pass(20)
                if number < 20 { begin(number + 1) }
                return try transaction.setItems([.string("\(number)")], on: board)
            } then: { (_: Result<UInt64, any Error>) in
                ended.withLock { $0.append(number) }
                if number == 20 { end.finish() }
            }
        }
        begin(1)
        for await _ in ends {}
        #expect(ended.withLock { $0 } == Array(1...20))
        // Without the bound, all of them are in one group.
        #expect(store.statistics.snapshot.commits - before >= 2)
        try await store.close()
    }

    @Test func sequentialOperationsEachHaveACommit() async throws {
        let store = try place.open()
        try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        for number in 0..<10 { try await store.put("\(number)", on: board) }
        #expect(store.statistics.snapshot.commits == before + 10)
        try await store.close()
    }

    @Test func readsDoNotWaitForTheDisk() async throws {
        let store = try place.open()
        try await store.put("hello", on: board)
        let before = store.statistics.snapshot.commits
        for _ in 0..<10 { #expect(try await store.text(of: board) == "hello") }
        #expect(store.statistics.snapshot.commits == before)
        try await store.close()
    }

    @Test func pasteboardInMemoryDoesNotWaitForTheDisk() async throws {
        let store = try place.open()
        try await store.put("hello", on: board, persistent: false)
        let before = store.statistics.snapshot.commits
        for number in 0..<10 { try await store.put("\(number)", on: board) }
        #expect(try await store.text(of: board) == "9")
        #expect(store.statistics.snapshot.commits == before)
        try await store.close()
    }

    @Test func stagedOperationIsAnsweredAtOnceAndCommittedWithTheNext() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        let staged = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        #expect(store.statistics.snapshot.commits == before)
        try await store.commit { try $0.require(staged.group) }
        #expect(store.statistics.snapshot.commits == before + 1)
        let image = try Store.open(place.crashImage())
        #expect(try await image.text(of: board) == "staged")
        try await image.close()
        try await store.close()
    }

    @Test func readerOfStagedDataIsAnsweredAfterTheCommit_I1() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        _ = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        #expect(try await store.text(of: board) == "staged")
        #expect(store.statistics.snapshot.commits == before + 1)
        try await store.close()
    }

    @Test func errorBasedOnStagedDataIsReportedAfterTheCommit_I1() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        let first = try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        let staged = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        await #expect(throws: PasteboardError.changeCountMismatch(expected: first, actual: staged.value)) {
            try await store.commit { try $0.clear(board, WriteOptions(ifChangeCount: first)) }
        }
        #expect(store.statistics.snapshot.commits == before + 1)
        try await store.close()
    }

    @Test func stagedDataReachesTheDiskByItself() async throws {
        let store = try place.open { $0.lingerMilliseconds = 1 }
        try await store.put("first", on: board)
        let before = store.statistics.snapshot.commits
        _ = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        while store.statistics.snapshot.commits == before { await Task.yield() }
        let image = try Store.open(place.crashImage())
        #expect(try await image.text(of: board) == "staged")
        try await image.close()
        try await store.close()
    }

    @Test func stagedDataReachesTheDiskOnClose() async throws {
        var store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        try await store.put("first", on: board)
        _ = try await store.stage { try $0.setItems([.string("staged")], on: board) }
        try await store.close()
        store = try place.open()
        #expect(try await store.text(of: board) == "staged")
        try await store.close()
    }

    @Test func operationsRunInCallOrder() async throws {
        let store = try place.open()
        try await store.put("", on: board)
        let seen = Mutex<[Int]>([])
        let recorded = RecordedOrder(seen)
        for number in 0..<100 {
            _ = try await store.stage { _ in recorded.append(number) }
        }
        #expect(recorded.numbers == Array(0..<100))
        try await store.close()
    }
}

private final class RecordedOrder: Sendable {
    private let order: Mutex<[Int]>

    init(_ order: consuming sending Mutex<[Int]>) { self.order = order }

    var numbers: [Int] { order.withLock { $0 } }

    func append(_ number: Int) { order.withLock { $0.append(number) } }
}
