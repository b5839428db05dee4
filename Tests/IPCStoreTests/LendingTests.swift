import Dispatch
import Glibc
import IPCModel
import IPCStore
import IPCTesting
import Testing

/// While the store's thread sleeps, a caller's thread may run operations in its place.
@Suite(.serialized) struct LendingTests {
    let place: TestPlace
    let board = PasteboardName.named("a")

    init() throws { place = try TestPlace() }

    /// A store that lends its session to callers' threads, and everything that it reports.
    private struct Lending {
        let store: Store
        /// The work to do when nothing else is pending.
        let idle = Collected<@Sendable () -> Void>()
        let moves = Collected<PasteboardMove>()
        /// The thread on which each operation ran, in order.
        let threads = Collected<pthread_t>()
        let answers = Collected<String>()

        init(_ place: TestPlace, _ board: PasteboardName, persistent: Bool = false) async throws {
            let (idle, moves) = (idle, moves)
            store = try place.open { configuration in
                configuration.whenIdle = { idle.add($0) }
                configuration.onChange = { for move in $0 { moves.add(move) } }
            }
            try await store.commit { transaction in
                _ = try transaction.createPasteboard(board, persistent: persistent)
                _ = try transaction.setItems([.string("first")], on: board)
            }
            try await letThreadSleep(board)
        }

        /// Waits until the store's thread is asleep. The next operation then stays pending until the test runs the new
        /// work in ``idle``.
        private func letThreadSleep(_ board: PasteboardName) async throws {
            var asked = 0
            while idle.elements.isEmpty {
                asked += 1
                store.commit(about: board, { _ in }, then: note("asked"))
                if idle.elements.isEmpty { _ = try await answers.wait(for: asked) }
            }
            idle.elements[0]()
            _ = try await answers.wait(for: asked)
        }

        func commit(
            about board: PasteboardName?, _ word: String,
            _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Void
        ) {
            let threads = threads
            store.commit(
                about: board,
                { (transaction: borrowing StoreTransaction) throws -> Void in
                    threads.add(pthread_self())
                    try body(transaction)
                }, then: note(word))
        }

        private func note(_ word: String) -> @Sendable (Result<Void, any Error>) -> Void {
            let answers = answers
            return { result in
                switch result {
                case .success: answers.add(word)
                case .failure(let error): answers.add("\(word): \(error)")
                }
            }
        }

        /// Waits until the latest answer begins with the given word.
        func last(_ word: String) async throws {
            var count = 1
            while try await answers.wait(for: count).last.map({ !$0.hasPrefix(word) }) ?? true { count += 1 }
        }
    }

    @Test func operationInMemoryRunsOnTheIdleCallingThread() async throws {
        let lending = try await Lending(place, board)
        let (board, told) = (board, lending.moves.elements.count)
        lending.commit(about: board, "set") { _ = try $0.setItems([.string("second")], on: board) }
        #expect(lending.threads.elements.isEmpty, "the operation waits until the calling thread has nothing else to do")
        for action in lending.idle.elements.suffix(1) { action() }
        #expect(lending.threads.elements.map { pthread_equal($0, pthread_self()) != 0 } == [true])
        #expect(lending.answers.elements.last == "set")
        #expect(lending.moves.elements.count == told + 1, "the change is reported exactly once")
        #expect(try await lending.store.text(of: board) == "second")
        try await lending.store.close()
    }

    @Test func operationThatNeedsTheDiskIsRolledBackAndRunsOnTheThread_I2() async throws {
        let lending = try await Lending(place, board)
        let (board, told) = (board, lending.moves.elements.count)
        let commits = lending.store.statistics.snapshot.commits
        lending.commit(about: board, "both") { transaction in
            _ = try transaction.addItems([.string("second")], to: board)
            _ = try transaction.createPasteboard(.named("kept"), persistent: true)
        }
        for action in lending.idle.elements.suffix(1) { action() }
        try await lending.last("both")
        let here = pthread_self()
        #expect(
            lending.threads.elements.count == 2,
            "the operation began on this thread, and ran again on the store's thread")
        #expect(lending.threads.elements.last.map { pthread_equal($0, here) } != 1)
        #expect(
            lending.store.statistics.snapshot.commits == commits + 1, "the caller is answered only after the commit")
        #expect(lending.moves.elements.count == told + 2, "changes that were undone are not reported")
        let facts = try await lending.store.commit { try $0.facts(of: board) }
        #expect(facts.itemCount == 2)
        try await lending.store.close()
    }

    @Test func aPersistentPasteboardIsWrittenByTheThread_I1() async throws {
        let lending = try await Lending(place, board, persistent: true)
        let (board, commits) = (board, lending.store.statistics.snapshot.commits)
        lending.commit(about: board, "set") { _ = try $0.setItems([.string("second")], on: board) }
        for action in lending.idle.elements { action() }
        try await lending.last("set")
        let here = pthread_self()
        #expect(lending.threads.elements.map { pthread_equal($0, here) != 0 } == [false])
        #expect(lending.store.statistics.snapshot.commits == commits + 1)
        try await lending.store.close()
    }

    @Test func operationsThatArriveTogetherRunOnTheThread_inOrder() async throws {
        let lending = try await Lending(place, board)
        let board = board
        let count = lending.answers.elements.count
        lending.commit(about: board, "first") { _ = try $0.setItems([.string("1")], on: board) }
        lending.commit(about: nil, "second") { _ = try $0.setItems([.string("2")], on: board) }
        try await lending.last("second")
        #expect(lending.answers.elements.dropFirst(count) == ["first", "second"])
        for action in lending.idle.elements { action() }
        let here = pthread_self()
        #expect(lending.threads.elements.map { pthread_equal($0, here) != 0 } == [false, false])
        #expect(try await lending.store.text(of: board) == "2")
        try await lending.store.close()
    }

    /// The store's thread has the session back before any caller is answered, so the code that receives an answer may
    /// wait for another operation.
    @Test func anAnswerMayWaitForTheThread_I18() async throws {
        let lending = try await Lending(place, board)
        let (store, board, next) = (lending.store, board, Collected<Bool>())
        let waitForNext: @Sendable (Result<Void, any Error>) -> Void = { _ in
            let isDone = DispatchSemaphore(value: 0)
            store.commit(
                { _ = try $0.createPasteboard(.named("kept"), persistent: true) },
                then: { result in
                    if case .success = result { next.add(true) } else { next.add(false) }
                    isDone.signal()
                })
            isDone.wait()
        }
        store.commit(about: board, { _ = try $0.setItems([.string("second")], on: board) }, then: waitForNext)
        for action in lending.idle.elements.suffix(1) { action() }
        #expect(next.elements == [true])
        try await store.close()
    }

    @Test func rejectedOperationChangesNothing_I2() async throws {
        let lending = try await Lending(place, board)
        let (board, told) = (board, lending.moves.elements.count)
        lending.commit(about: board, "refused") { transaction in
            _ = try transaction.setItems([.string("second")], on: board)
            throw PasteboardError.noSuchPasteboard(board)
        }
        for action in lending.idle.elements.suffix(1) { action() }
        #expect(lending.answers.elements.last == "refused: \(PasteboardError.noSuchPasteboard(board))")
        #expect(lending.moves.elements.count == told)
        #expect(try await lending.store.text(of: board) == "first")
        try await lending.store.close()
    }

    @Test func operationsThatWaitWhenTheStoreClosesAreAnsweredOnce_I18() async throws {
        let lending = try await Lending(place, board)
        let (board, count) = (board, lending.answers.elements.count)
        lending.commit(about: board, "held back") { _ = try $0.setItems([.string("second")], on: board) }
        try await lending.store.close()
        for action in lending.idle.elements { action() }
        lending.commit(about: board, "late") { _ = try $0.setItems([.string("third")], on: board) }
        #expect(lending.answers.elements.dropFirst(count) == ["held back", "late: \(StoreError.unavailable)"])
        #expect(lending.threads.elements.count == 1)
    }
}
