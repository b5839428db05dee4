internal import Dispatch
internal import Synchronization

/// What waits for the store's thread.
final class OperationQueue: Sendable {
    /// What the thread is to do next.
    enum Step {
        case run([any PendingOperation])
        /// The flush that was on its way has ended, with this error or 0.
        case flushed(CInt)
        /// Nothing came until the deadline.
        case nothing
        /// Everything was run, and the store is to be closed.
        case stop
        /// The disk has failed where somebody else ran an operation.
        case fail(any Error)
    }

    /// What becomes of an operation that may run elsewhere.
    enum Arrival {
        case refused
        /// The thread runs it.
        case taken
        /// It waits for ``lend()``.
        case heldBack
    }

    private struct State {
        var pending: [any PendingOperation] = []
        var flushed: CInt?
        var isAsleep = false
        /// Whether the thread has nothing in hand while it sleeps.
        var isFree = false
        /// Whether somebody runs an operation in the place of the thread, which sleeps meanwhile.
        var isLent = false
        var isStopping = false
        var fault: (any Error)?

        /// What the thread is to do next; nil while there is nothing, or somebody works in its place.
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

        /// Wakes the thread if it sleeps and nobody works in its place; who does wakes it afterwards.
        mutating func takesWaking() -> Bool {
            guard !isLent else { return false }
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Adds an operation; false where the store takes none any more.
    func add(_ operation: any PendingOperation) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isStopping else { return (false, false) }
            state.pending.append(operation)
            return (true, state.takesWaking())
        }
        if mustWake { wakeUp.signal() }
        return isTaken
    }

    /// Adds an operation that may run in the place of the thread, if it is the only one and the thread has nothing in hand:
    /// ``lend()`` has to be called for it, soon.
    func addForLending(_ operation: any PendingOperation) -> Arrival {
        let (arrival, mustWake) = state.withLock { state -> (Arrival, Bool) in
            guard !state.isStopping else { return (.refused, false) }
            state.pending.append(operation)
            guard state.pending.count > 1 || !state.isAsleep || !state.isFree || state.isLent else {
                return (.heldBack, false)
            }
            return (.taken, state.takesWaking())
        }
        if mustWake { wakeUp.signal() }
        return arrival
    }

    /// The one operation that waits, to be run in the place of the thread, which sleeps until ``giveBack(_:after:)``; nil
    /// where it is the thread's.
    func lend() -> (any PendingOperation)? {
        let (operation, mustWake) = state.withLock { state -> ((any PendingOperation)?, Bool) in
            guard !state.pending.isEmpty, state.isAsleep, !state.isLent else { return (nil, false) }
            guard state.isFree, state.pending.count == 1, state.pending[0].board != nil, !state.isStopping else {
                return (nil, state.takesWaking())
            }
            state.isLent = true
            return (state.pending.removeLast(), false)
        }
        if mustWake { wakeUp.signal() }
        return operation
    }

    /// Ends what ``lend()`` began.
    /// - Parameters:
    ///   - operation: goes to the thread, before all that has come meanwhile.
    ///   - fault: the thread ends with it.
    func giveBack(_ operation: (any PendingOperation)? = nil, after fault: (any Error)? = nil) {
        let mustWake = state.withLock { state in
            state.isLent = false
            state.fault = fault
            if let operation { state.pending.insert(operation, at: 0) }
            return !state.pending.isEmpty || state.isStopping || fault != nil ? state.takesWaking() : false
        }
        if mustWake { wakeUp.signal() }
    }

    /// Lets the thread end when it has run what is there; later operations are not taken.
    func stop() {
        let mustWake = state.withLock { state in
            state.isStopping = true
            return state.takesWaking()
        }
        if mustWake { wakeUp.signal() }
    }

    /// Tells the thread how the flush has ended that was on its way.
    func flushed(_ error: CInt) {
        let mustWake = state.withLock { state in
            state.flushed = error
            return state.takesWaking()
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
    /// - Parameter isFree: whether the thread has nothing in hand, so that others may work in its place.
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

    /// Waits for the flush that is on its way; its error, or 0.
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

    /// Waits until something is there to run, or the store is to be closed; takes nothing.
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
            // Said here as well as by who wakes the thread: it may have found something without having been woken for it.
            (state.isAsleep, state.isFree) = (step == nil, step == nil && isFree)
            return step
        }
    }
}
