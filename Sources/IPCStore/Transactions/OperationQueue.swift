internal import Dispatch
internal import Synchronization

final class OperationQueue: Sendable {
    enum Step {
        case run([PendingOperation])
        /// The running flush has ended, with this error number or 0.
        case flushed(CInt)
        /// Nothing came until the deadline.
        case nothing
        /// All operations ran, and the store is to be closed.
        case stop
        /// The disk has failed in an operation that ran on another thread.
        case fail(any Error)
    }

    enum Arrival {
        case refused
        /// The store's thread runs the operation.
        case taken
        /// The operation waits for ``lend()``.
        case heldBack
    }

    private struct State {
        var pending: [PendingOperation] = []
        var flushed: CInt?
        var isAsleep = false
        /// Whether the thread has no group open while it sleeps.
        var isFree = false
        /// Whether another thread runs an operation while the store's thread sleeps.
        var isLent = false
        var isStopping = false
        var fault: (any Error)?

        /// The next step; nil if there is none, or the session is lent.
        mutating func takeStep() -> Step? {
            if let flushed {
                self.flushed = nil
                return .flushed(flushed)
            }
            guard !isLent else { return nil }
            if let fault { return .fail(fault) }
            if !pending.isEmpty {
                defer { pending = [] }
                return .run(pending)
            }
            return isStopping ? .stop : nil
        }

        /// Whether to wake the thread, which then counts as awake. ``giveBack(_:after:)`` wakes it if the session is lent.
        mutating func takesWaking() -> Bool {
            guard !isLent else { return false }
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Changes the state, and wakes the thread if the closure says so.
    private func change<Value: Sendable>(_ body: (inout State) -> (Value, mustWake: Bool)) -> Value {
        let (value, mustWake) = state.withLock { body(&$0) }
        if mustWake { wakeUp.signal() }
        return value
    }

    /// Adds an operation, or answers it with an error if the store accepts no more.
    func add(_ operation: PendingOperation) {
        let isAccepted = change { state in
            guard !state.isStopping else { return (false, false) }
            state.pending.append(operation)
            return (true, state.takesWaking())
        }
        if !isAccepted { operation.fail(StoreError.unavailable) }
    }

    /// Adds an operation that may run on another thread. It is held back if it is the only one and the store's thread is
    /// free; then call ``lend()`` soon.
    func addForLending(_ operation: PendingOperation) -> Arrival {
        change { state in
            guard !state.isStopping else { return (.refused, false) }
            state.pending.append(operation)
            guard state.pending.count > 1 || !state.isAsleep || !state.isFree || state.isLent else {
                return (.heldBack, false)
            }
            return (.taken, state.takesWaking())
        }
    }

    /// Returns the only waiting operation, to be run on this thread. The store's thread sleeps until
    /// ``giveBack(_:after:)``. Returns nil if the store's thread has to run it.
    func lend() -> PendingOperation? {
        change { state in
            guard !state.pending.isEmpty, state.isAsleep, !state.isLent else { return (nil, false) }
            guard state.isFree, state.pending.count == 1, state.pending[0].board != nil, !state.isStopping else {
                return (nil, state.takesWaking())
            }
            state.isLent = true
            return (state.pending.removeLast(), false)
        }
    }

    /// Ends the loan of ``lend()``. The store's thread runs `operation` before later ones; a fault ends the thread.
    func giveBack(_ operation: PendingOperation? = nil, after fault: (any Error)? = nil) {
        change { state in
            state.isLent = false
            state.fault = fault
            if let operation { state.pending.insert(operation, at: 0) }
            return ((), !state.pending.isEmpty || state.isStopping || fault != nil ? state.takesWaking() : false)
        }
    }

    /// Ends the thread after the waiting operations, and refuses later ones.
    func stop() {
        change { state in
            state.isStopping = true
            return ((), state.takesWaking())
        }
    }

    /// Reports the error number of the running flush, or 0.
    func flushed(_ error: CInt) {
        change { state in
            state.flushed = error
            return ((), state.takesWaking())
        }
    }

    func takeAll() -> [PendingOperation] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// Waits for the next step, until a deadline if there is one.
    /// - Parameter isFree: whether the thread has no group open, so that another thread may run an operation.
    func next(until deadline: DispatchTime?, isFree: Bool) -> Step {
        while true {
            if let step = poll(isFree: isFree) { return step }
            guard let deadline else {
                wakeUp.wait()
                continue
            }
            guard wakeUp.wait(timeout: deadline) == .timedOut else { continue }
            state.withLock { $0.isAsleep = false }
            return .nothing
        }
    }

    /// Waits for the running flush, and returns its error number or 0.
    func awaitFlush() -> CInt {
        while true {
            let flushed = state.withLock { state in
                defer { state.flushed = nil }
                (state.isAsleep, state.isFree) = (state.flushed == nil, false)
                return state.flushed
            }
            if let flushed { return flushed }
            wakeUp.wait()
        }
    }

    func awaitArrival() {
        while !hasArrival() { wakeUp.wait() }
    }

    private func hasArrival() -> Bool {
        state.withLock { state in
            (state.isAsleep, state.isFree) = (state.pending.isEmpty && !state.isStopping, false)
            return !state.isAsleep
        }
    }

    private func poll(isFree: Bool) -> Step? {
        state.withLock { state in
            let step = state.takeStep()
            // Also if the waker has set it: the thread may find a step without a signal.
            (state.isAsleep, state.isFree) = (step == nil, step == nil && isFree)
            return step
        }
    }
}
