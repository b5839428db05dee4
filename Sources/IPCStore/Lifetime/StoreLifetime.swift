internal import Dispatch
internal import Synchronization

/// The beginning and the end of the store's thread, for those who wait for them.
final class StoreLifetime: Sendable {
    private struct State {
        var opened: Result<OpenedStore, any Error> = .failure(StoreError.unavailable)
        /// How the thread has ended; nil while it runs.
        var end: Result<Void, any Error>?
        var waiting: [UnsafeContinuation<Void, any Error>] = []
        /// Kept until the thread has ended: the lock must not go before the connection.
        var lock: StoreLock?
    }

    private let state: Mutex<State>
    private let start = DispatchSemaphore(value: 0)

    init(_ lock: StoreLock) {
        state = Mutex(State(lock: lock))
    }

    /// Blocks until operations can be run.
    /// - Throws: the error that kept the thread from opening the store.
    func awaitStart() throws -> OpenedStore {
        start.wait()
        do { return try state.withLock { $0.opened }.get() } catch {
            releaseLock()
            throw error
        }
    }

    /// Reports that operations can be run, or why they never will.
    func started(_ result: Result<OpenedStore, any Error>) {
        state.withLock { $0.opened = result }
        start.signal()
    }

    /// Reports how the thread has ended, after it has closed the database.
    func ended(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            state.end = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    /// Waits until the thread has ended and the remover has removed its files, then releases the lock.
    /// - Throws: the fault that ended the thread.
    func end(after remover: WorkerThreads) async throws {
        do { try await awaitEnd() } catch {
            releaseLock()
            throw error
        }
        try await remover.run {}
        releaseLock()
    }

    private func awaitEnd() async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.waiting.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(with: end) }
        }
    }

    private func releaseLock() { state.withLock { $0.lock = nil } }
}
