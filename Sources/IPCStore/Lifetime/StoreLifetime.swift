internal import Dispatch
internal import Synchronization

/// Waits for the start and the end of the store's thread.
final class StoreLifetime: Sendable {
    private struct State {
        var opened: Result<OpenedStore, any Error> = .failure(StoreError.unavailable)
        /// Nil while the thread runs.
        var end: Result<Void, any Error>?
        var waiting: [UnsafeContinuation<Void, any Error>] = []
        /// Released after the connection was closed.
        var lock: StoreLock?
    }

    private let state: Mutex<State>
    private let start = DispatchSemaphore(value: 0)

    init(_ lock: StoreLock) { state = Mutex(State(lock: lock)) }

    /// Blocks until operations can run.
    /// - Throws: the thread's error.
    func awaitStart() throws -> OpenedStore {
        start.wait()
        do { return try state.withLock { $0.opened }.get() } catch {
            releaseLock()
            throw error
        }
    }

    /// Reports that operations can run, or the error of the start.
    func started(_ result: Result<OpenedStore, any Error>) {
        state.withLock { $0.opened = result }
        start.signal()
    }

    /// Reports the end of the thread, after it has closed the database.
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
