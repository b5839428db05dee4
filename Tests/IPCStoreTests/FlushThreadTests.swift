import Dispatch
import IPCModel
import IPCStore
import IPCTesting
import Testing

/// What happens while a group is being flushed.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FlushThreadTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// A store that flushes a group of several operations only when the test releases it.
    private final class SlowDisk: Sendable {
        let store: Store
        let answers = Collected<String>()
        let moves = Collected<String>()
        private let reached: DispatchSemaphore
        private let release: DispatchSemaphore

        init(
            _ place: TestPlace, control: StoreConfiguration.Control? = nil, onFault: @escaping @Sendable () -> Void = {}
        ) throws {
            let (reached, release, moves) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), moves)
            (self.reached, self.release) = (reached, release)
            store = try place.open { configuration in
                configuration.control = control
                configuration.lingerMilliseconds = 3_600_000
                configuration.onChange = { for move in $0 { moves.add("\(move.name)") } }
                configuration.onFault = { _ in onFault() }
                configuration.willFlush = {
                    reached.signal()
                    release.wait()
                }
            }
        }

        /// Adds operations that run in one group, because the store's thread is held back until all are there.
        func addTogether(_ operations: [@Sendable () -> Void]) async throws {
            let allAreThere = DispatchSemaphore(value: 0)
            store.commit({ _ in allAreThere.wait() }, then: { _ in })
            for add in operations { add() }
            allAreThere.signal()
        }

        func set(_ text: String, _ board: PasteboardName) -> @Sendable () -> Void {
            { [store, answers] in
                store.commit(
                    { try $0.setItems([.string(text)], on: board) }, then: { answers.add("\(text): \($0.isSuccess)") })
            }
        }

        func read(_ board: PasteboardName) {
            store.commit(
                { try $0.items(of: board).items.first?.string },
                then: { [answers] in answers.add("read: \($0.isSuccess)") })
        }

        /// Waits until a group is being flushed.
        func awaitGroup() async {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [reached] in
                    reached.wait()
                    continuation.resume()
                }
            }
        }

        func letGo() { release.signal() }
    }

    @Test func theNextGroupRunsDuringAFlush_I1() async throws {
        let disk = try SlowDisk(place)
        try await disk.store.put("first", on: board)
        let (before, moved) = (disk.store.statistics.snapshot.commits, disk.moves.elements.count)
        try await disk.addTogether([disk.set("one", board), disk.set("two", board)])
        await disk.awaitGroup()
        // The store's thread is not blocked by the flush: it runs staged operations, and collects durable ones for the
        // next group.
        _ = try await disk.store.stage { _ in }
        disk.read(board)
        disk.set("three", board)()
        _ = try await disk.store.stage { _ in }
        #expect(disk.answers.elements.isEmpty, "not even a read is answered before the flush")
        #expect(disk.moves.elements.count == moved, "no change is reported before the flush")
        #expect(disk.store.statistics.snapshot.commits == before + 1)
        disk.letGo()
        #expect(try await disk.answers.wait(for: 4) == ["one: true", "two: true", "read: true", "three: true"])
        #expect(disk.moves.elements.count == moved + 3)
        #expect(disk.store.statistics.snapshot.commits == before + 2)
        try await disk.store.close()
    }

    /// The negative control: a store that answers before the commit does so without waiting for the disk.
    @Test func controlThatAnswersBeforeTheCommitIsFound_I1() async throws {
        let disk = try SlowDisk(place, control: .acknowledgeBeforeCommit)
        try await disk.store.put("first", on: board)
        try await disk.addTogether([disk.set("one", board), disk.set("two", board)])
        // The thread that waits for the disk is never released, but the answers arrive.
        let answers = try await disk.answers.wait(for: 2)
        #expect(answers == ["one: true", "two: true"])
        try await disk.store.close()
    }

    @Test func aGroupWhoseFlushFailsIsNotAcknowledged_I3() async throws {
        let faults = Collected<Int>()
        let disk = try SlowDisk(place, onFault: { faults.add(1) })
        try await disk.store.put("kept", on: board)
        try await disk.addTogether([disk.set("one", board), disk.set("two", board)])
        await disk.awaitGroup()
        try #require(DiskFault.replace(place.database + "-wal", by: "/dev/null"))
        disk.set("three", board)()
        _ = try await disk.store.stage { _ in }
        disk.letGo()
        #expect(try await disk.answers.wait(for: 3) == ["one: false", "two: false", "three: false"])
        await #expect(throws: StoreError.unavailable) { try await disk.store.put("late", on: board) }
        await #expect(throws: (any Error).self) { try await disk.store.close() }
        #expect(faults.elements == [1])
    }

    @Test func closingWaitsForTheFlushInProgress_I1() async throws {
        let disk = try SlowDisk(place)
        try await disk.store.put("first", on: board)
        try await disk.addTogether([disk.set("one", board), disk.set("two", board)])
        await disk.awaitGroup()
        let isClosed = Observed(false)
        let closing = Task {
            try await disk.store.close()
            isClosed.update { $0 = true }
        }
        // The shutdown has started once the store accepts nothing more.
        await #expect(throws: StoreError.unavailable) {
            while true { _ = try await disk.store.stage { _ in } }
        }
        #expect(!isClosed.value && disk.answers.elements.isEmpty)
        disk.letGo()
        try await closing.value
        #expect(disk.answers.elements == ["one: true", "two: true"])
        let store = try place.open()
        #expect(store.report.wasClean)
        #expect(try await store.text(of: board) == "two")
        try await store.close()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
