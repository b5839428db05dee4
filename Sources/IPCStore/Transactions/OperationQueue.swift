internal import Dispatch
internal import Synchronization

final class OperationQueue: Sendable {
    enum Step {
        case run([PendingOperation])
        /// The running flush has finished with this error number, or 0.
        case flushed(CInt)
        /// Nothing arrived before the deadline.
        case nothing
        /// All operations have run, and the store must close.
        case stop
        /// The disk failed during an operation that ran on another thread.
        case fail(any Error)
    }

    enum Arrival {
        case refused
        /// The store's thread runs the operation.
        case taken
        /// The operation waits until its caller calls ``lend()``.
        case heldBack
    }

    private struct State {
        var pending: [PendingOperation] = []
        var flushed: CInt?
        var isAsleep = false
        /// Whether the store's thread sleeps and has no unfinished group, so another thread may run an operation.
        var isFree = false
        /// Whether another thread is running an operation while the store's thread sleeps.
        var isLent = false
        var isStopping = false
        var fault: (any Error)?

        /// The next step; `nil` if there is none, or another thread has borrowed the session.
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

        /// Whether to wake the store's thread, which then counts as awake. False while the session is lent.
        mutating func takesWaking() -> Bool {
            guard !isLent else { return false }
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Changes the state, and wakes the store's thread if the closure asks for it.
    private func change<Value: Sendable>(_ body: (inout State) -> (Value, mustWake: Bool)) -> Value {
        let (value, mustWake) = state.withLock { body(&$0) }
        if mustWake { wakeUp.signal() }
        return value
    }

    /// Adds an operation. If the store is stopping, the operation fails.
    func add(_ operation: PendingOperation) {
        let isAccepted = change { state in
            guard !state.isStopping else { return (false, false) }
            state.pending.append(operation)
            return (true, state.takesWaking())
        }
        if !isAccepted { operation.fail(StoreError.unavailable) }
    }

    /// Adds an operation that may run on another thread. If no other operation is waiting and the store's thread is
    /// free, the operation is held back, and the caller must call ``lend()`` soon.
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

    /// Returns the only waiting operation, for the calling thread to run; the store's thread sleeps until
    /// ``giveBack(_:after:)``. Returns `nil` if no operation is waiting, or if the store's thread must run it.
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

    /// Gives the session back after ``lend()``. The store's thread runs `operation` first, or stops after a fault.
    func giveBack(_ operation: PendingOperation? = nil, after fault: (any Error)? = nil) {
        change { state in
            state.isLent = false
            state.fault = fault
            if let operation { state.pending.insert(operation, at: 0) }
            return ((), !state.pending.isEmpty || state.isStopping || fault != nil ? state.takesWaking() : false)
        }
    }

    /// Stops the store's thread after it has run the waiting operations, and rejects later ones.
    func stop() {
        change { state in
            state.isStopping = true
            return ((), state.takesWaking())
        }
    }

    /// Reports that the running flush has finished, with its error number or 0.
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

    /// Waits for the next step, until the deadline if there is one.
    /// - Parameter isFree: whether the thread has no open group, so that another thread may run an operation.
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

    /// Waits for the running flush to finish, and returns its error number or 0.
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
            // `isAsleep` is always set here, because the thread may find a step without having been woken.
            (state.isAsleep, state.isFree) = (step == nil, step == nil && isFree)
            return step
        }
    }
}
