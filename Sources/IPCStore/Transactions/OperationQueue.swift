internal import Dispatch
internal import Synchronization

/// What waits for the store's thread.
final class OperationQueue: Sendable {
    /// What the thread is to do next.
    enum Step {
        case run([any PendingOperation])
        /// Nothing came until the deadline.
        case nothing
        /// Everything was run, and the store is to be closed.
        case stop
    }

    private struct State {
        var pending: [any PendingOperation] = []
        var isAsleep = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Adds an operation; false where the store takes none any more.
    func add(_ operation: any PendingOperation) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isStopping else { return (false, false) }
            state.pending.append(operation)
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if mustWake { wakeUp.signal() }
        return isTaken
    }

    /// Lets the thread end when it has run what is there; later operations are not taken.
    func stop() {
        let mustWake = state.withLock { state in
            state.isStopping = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustWake { wakeUp.signal() }
    }

    /// What is there now, without waiting.
    func takeAll() -> [any PendingOperation] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// Waits for something to do, until a deadline if there is one.
    func next(until deadline: DispatchTime?) -> Step {
        while true {
            if let step = poll() { return step }
            guard let deadline else {
                wakeUp.wait()
                continue
            }
            if wakeUp.wait(timeout: deadline) == .timedOut { return .nothing }
        }
    }

    /// Waits until something is there to run, or the store is to be closed; takes nothing.
    func awaitArrival() {
        while !hasArrival() { wakeUp.wait() }
    }

    private func hasArrival() -> Bool {
        state.withLock { state in
            state.isAsleep = state.pending.isEmpty && !state.isStopping
            return !state.isAsleep
        }
    }

    private func poll() -> Step? {
        state.withLock { state in
            if !state.pending.isEmpty {
                defer { state.pending = [] }
                return .run(state.pending)
            }
            if state.isStopping { return .stop }
            state.isAsleep = true
            return nil
        }
    }
}
