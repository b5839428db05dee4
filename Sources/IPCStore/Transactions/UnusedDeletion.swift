internal import Synchronization

/// Deletes unused contents (``UnusedContents``) in operations of their own, between which others run. Large writes wait
/// until the deletion is done, so that callers cannot add more than is deleted.
final class UnusedDeletion: Sendable {
    private enum State {
        case idle
        case running(Task<Void, Never>)
        /// More was added while the last operation ran.
        case runningAgain(Task<Void, Never>)
    }

    private let queue: OperationQueue
    private let largeOperations: LargeOperations
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State.idle)

    init(_ queue: OperationQueue, _ largeOperations: LargeOperations, on executor: (any TaskExecutor)?) {
        (self.queue, self.largeOperations, self.executor) = (queue, largeOperations, executor)
    }

    /// Begins the deletion, or lets it go on once more if it is running.
    func begin() {
        state.withLock { state in
            switch state {
            case .idle: state = .running(Task.detached(executorPreference: executor) { await self.run() })
            case .running(let task): state = .runningAgain(task)
            case .runningAgain: break
            }
        }
    }

    /// Waits until nothing is left to delete, or the store has stopped.
    func ended() async {
        let task = state.withLock { state in
            switch state {
            case .idle: Task<Void, Never>?.none
            case .running(let task), .runningAgain(let task): task
            }
        }
        await task?.value
    }

    private func run() async {
        repeat {
            // If the store stops, the next start goes on.
            await largeOperations.writePortions { (try? await deleteSome()) ?? false }
        } while goesOn()
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            switch state {
            case .idle, .running:
                state = .idle
                return false
            case .runningAgain(let task):
                state = .running(task)
                return true
            }
        }
    }

    private func deleteSome() async throws -> Bool {
        try await withUnsafeThrowingContinuation { continuation in
            queue.add(
                PendingOperation(resuming: continuation, isStaged: true) { try $0.session.unused.deleteSome() })
        }.value
    }
}
