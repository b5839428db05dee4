internal import Dispatch
internal import Synchronization

/// Lets other threads wait until the store's thread has started or stopped.
final class StoreLifetime: Sendable {
    private struct State {
        var opened: Result<OpenedStore, any Error> = .failure(StoreError.unavailable)
        /// How the thread stopped; `nil` while it is running.
        var end: Result<Void, any Error>?
        var waiting: [UnsafeContinuation<Void, any Error>] = []
        /// The lock on the store, released once the database connection is closed.
        var lock: StoreLock?
    }

    private let state: Mutex<State>
    private let start = DispatchSemaphore(value: 0)

    init(_ lock: StoreLock) { state = Mutex(State(lock: lock)) }

    /// Blocks until operations can run.
    /// - Throws: the error that stopped the thread from starting.
    func awaitStart() throws -> OpenedStore {
        start.wait()
        do { return try state.withLock { $0.opened }.get() } catch {
            releaseLock()
            throw error
        }
    }

    /// Reports that operations can run, or that the start failed.
    func started(_ result: Result<OpenedStore, any Error>) {
        state.withLock { $0.opened = result }
        start.signal()
    }

    /// Reports that the thread has stopped and no longer uses the database.
    func ended(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            state.end = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    /// Waits until the thread has stopped and `remover` has finished its jobs, then releases the lock on the store.
    /// - Throws: the fault that stopped the thread.
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
