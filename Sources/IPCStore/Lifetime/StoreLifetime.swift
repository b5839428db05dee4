internal import Dispatch
internal import GRDB
internal import Synchronization

/// The beginning and the end of the store's thread, for those who wait for them.
final class StoreLifetime: Sendable {
    private enum Phase {
        case starting
        case running
        case ended((any Error)?)
    }

    private struct State {
        var phase = Phase.starting
        var waiting: [UnsafeContinuation<Void, any Error>] = []
        // Kept until the thread has ended: the lock must not go before the connection.
        var database: DatabaseQueue?
        var lock: StoreLock?
    }

    private let state: Mutex<State>
    private let start = DispatchSemaphore(value: 0)

    init(_ database: DatabaseQueue, _ lock: StoreLock) {
        state = Mutex(State(database: database, lock: lock))
    }

    /// Blocks until operations can be run; throws where that will never be.
    func awaitStart() throws {
        start.wait()
        guard case .ended(let error?) = state.withLock({ $0.phase }) else { return }
        // Before the file is renamed, or looked at by somebody else.
        try? release().database?.close()
        throw error
    }

    func started() {
        state.withLock { $0.phase = .running }
        start.signal()
    }

    func failedToStart(_ error: any Error) {
        state.withLock { $0.phase = .ended(error) }
        start.signal()
    }

    func ended(_ error: (any Error)?) {
        let waiting = state.withLock { state in
            state.phase = .ended(error)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { Self.resume(continuation, error) }
    }

    /// Waits until the thread has ended, and for what it has left to another to remove, then closes the connection and
    /// lets go of the lock. Throws the fault with which the thread ended, if it was one.
    func end(after remover: WorkerThreads) async throws {
        do {
            try await awaitEnd()
        } catch {
            // Closing would bring the log into the database, on a disk that has failed: the next start does that.
            _ = release().database.map(Unmanaged.passRetained)
            throw error
        }
        try await remover.run {}
        let (database, lock) = release()
        try database?.close()
        withExtendedLifetime(lock) {}
    }

    private func awaitEnd() async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let phase = state.withLock { state in
                if case .ended = state.phase { return state.phase }
                state.waiting.append(continuation)
                return state.phase
            }
            if case .ended(let error) = phase { Self.resume(continuation, error) }
        }
    }

    private func release() -> (database: DatabaseQueue?, lock: StoreLock?) {
        state.withLock { state in
            defer { (state.database, state.lock) = (nil, nil) }
            return (state.database, state.lock)
        }
    }

    private static func resume(_ continuation: UnsafeContinuation<Void, any Error>, _ error: (any Error)?) {
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
