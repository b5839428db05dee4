/// The state machine of one handler: its requests, and when each is sent. Each request also has a state machine of its
/// own, a ``RequestLife``.
///
/// ``SenderQueues`` decides which request is next (I8, I15). This type decides when the next one may be sent: it limits
/// how many the handler has at a time (only one after a crash), pauses after failures, and starts the handler. A
/// ``RequestLife`` decides how its request ends: actions of this queue become events of the ``RequestLife``, and
/// actions of the ``RequestLife`` become events of this queue.
///
/// This is a value without a clock, bus or store. ``handle(_:at:)`` takes an event, and ``next(at:)`` returns the next
/// action until there are none. Each call chooses a single action, so that all earlier events, including those that the
/// previous action caused, can be handled before the choice. Times are milliseconds of one clock. The time that an
/// operation takes does not depend on the number of waiting requests.
package struct HandlerQueue: Sendable, Equatable {
    package enum Event: Sendable, Hashable {
        /// A request joins the end of its sender queue.
        /// - isQueued: whether the sender queued the request instead of waiting for the outcome.
        /// - size: the size of its URL and payload in bytes.
        /// - isReady: whether the request is already stored, or does not have to be.
        case arrived(RequestID, SenderQueueKey, isQueued: Bool, size: UInt64, isReady: Bool)
        /// The request may be delivered when its turn comes.
        case ready(RequestID, size: UInt64)
        /// The delivery attempt for the request has been recorded.
        case prepared(RequestID)
        /// The delivery attempt could not be recorded. It is tried again after a pause in milliseconds or, if the pause
        /// is `nil`, when the handler registers.
        case unprepared(RequestID, pause: UInt64?)
        /// The request returns to its place in the queue.
        /// - isSuspect: whether the handler crashed while it had the request.
        /// - isBackedOff: whether the request has to wait until the handler's pause is over.
        case putBack(RequestID, isSuspect: Bool, isBackedOff: Bool)
        /// The request timed out. The handler still has it under this delivery number, and may answer later.
        case overdue(RequestID, delivery: UInt64)
        /// The request ended, or was not accepted.
        case ended(RequestID)

        /// The handler's presence on the bus has changed.
        case handler(Handler)
        /// The bus did not report which connection owns the handler's name.
        case ownerUnknown
        case registered(window: Int, isOwner: Bool)
        case answered
        /// A handler answered a request that had timed out, or an answer to that request is no longer expected.
        case answeredLate(delivery: UInt64, from: String)
        /// The handler has returned a request unread, or lost its direct connection, more than once.
        case failed(because: String)
        /// A connection returned a request unread. It gets no more requests until it registers again.
        case refused(by: String)
        /// The direct connection of the handler on this bus connection was lost while it had requests.
        case cutOff(String)
        /// A handler that lost its direct connection is still on the bus.
        case stillThere(String)
        /// A connection left the bus. Errors for undelivered requests may still arrive.
        case gone(String)
        /// All errors that can follow ``gone(_:)`` have arrived. Requests without an error had reached the handler.
        case crashed(String)

        case activatableChanged
        case starting
        /// The bus has no way to start the handler.
        case startImpossible(StartFailure)
        case startEnded(StartFailure?)

        /// The broker may deliver requests from now on.
        case opened
        case stopped
        /// Nothing can be sent for this many milliseconds.
        case paused(milliseconds: UInt64)
        /// The time of an earlier ``Action/wake(at:)`` has come.
        case woke
    }

    package enum Action: Sendable, Hashable {
        /// Pass ``RequestLife/Event/turn`` to the request.
        case dispatch(RequestID)
        /// Pass ``RequestLife/Event/leaves(delivery:)`` to the request.
        case leave(RequestID, delivery: UInt64)
        /// Pass ``RequestLife/Event/turnedBack`` to the request.
        case turnBack(RequestID)
        /// Pass ``RequestLife/Event/handlerCrashed(isAlone:limit:)`` to the request.
        case handlerCrashed(RequestID, isAlone: Bool)
        /// Pass ``RequestLife/Event/stillThere`` to the request.
        case stillThere(RequestID)
        /// End a request whose sender is waiting for a handler that cannot be started.
        case refuse(RequestID, StartFailure)
        case trace(RequestID, TraceStep.Kind, detail: String)
        case start
        case askForOwner
        /// Find out whether a handler that lost its direct connection is still on the bus.
        case probe(String)
        /// Report ``Event/crashed(_:)`` once all errors for undelivered requests have arrived.
        case confirmCrash(String)
        /// Call ``HandlerQueue/next(at:)`` at this time, or earlier.
        case wake(at: UInt64)
    }

    package enum Handler: Sendable, Hashable {
        case absent
        /// The handler is running, but its connection is not known yet.
        case unnamed
        /// - isSwitching: whether the handler is switching to or from a direct connection, so that requests sent now
        ///   could arrive in the wrong order.
        case at(String, isSwitching: Bool)
    }

    /// The reason why a handler cannot be started, with the name of a D-Bus error if there is one.
    package struct StartFailure: Sendable, Hashable {
        package let errorName: String
        package let message: String

        package init(errorName: String = "", message: String) { (self.errorName, self.message) = (errorName, message) }
    }

    private enum Start: Sendable, Equatable {
        case idle
        /// - isOutdated: whether the set of startable programs has changed since the bus was asked for a start.
        case asking(isOutdated: Bool)
        /// - deliveries: the value of `HandlerQueue.deliveries` when the start began.
        case running(deliveries: UInt64)
        /// The bus cannot start the handler, and is asked again only after a call of ``reconsider()``.
        case impossible
    }

    private enum OwnerQuestion: Sendable { case none, asked, unanswered }

    private let application: ApplicationID
    private let unansweredMost: Int
    private let bytesMost: UInt64
    private(set) var window: Int
    private(set) var queues = SenderQueues()
    /// The requests that a sender is waiting for and that have not been refused.
    private var senders: Set<Slot> = []
    /// The number of requests that are dispatched or in flight; `usedBytes` is their total size.
    private(set) var usedWindow = 0
    private var usedBytes: UInt64 = 0
    private var deliveries: UInt64 = 0
    private var connections = HandlerConnections()
    private var handler = Handler.absent
    private var ownerQuestion = OwnerQuestion.none
    private var start = Start.idle
    private var failures: HandlerFailures
    private var backedOff: [RequestID] = []
    /// Before `preparationPauseEnd`, no backed-off request is tried again. Before `pauseEnd`, nothing at all is sent.
    private var (preparationPauseEnd, pauseEnd) = (UInt64(0), UInt64(0))
    private var plannedWake: UInt64?
    private var isOpen = false
    /// Actions that events have produced. Those before `dueIndex` have already been returned.
    private var due: [Action] = []
    private var dueIndex = 0

    package init(of application: ApplicationID, window: Int, limits: Limits) {
        (self.application, self.window) = (application, max(1, window))
        unansweredMost = Int(clamping: limits.unansweredMost)
        bytesMost = limits.bytesInFlight
        failures = HandlerFailures(limits: limits)
    }
}

// MARK: Questions

extension HandlerQueue {
    /// Whether the queue is empty and nothing about its handler has to be remembered, so that it can be discarded.
    package func isIdle(at now: UInt64) -> Bool {
        queues.isEmpty && !isAsking && !isStarting && connections.areQuiet && failures.isQuiet(at: now)
    }

    /// Whether the bus is starting the handler.
    package var isStarting: Bool { if case .running = start { true } else { false } }

    /// Whether it is not known yet whether the bus can start the handler.
    private var isAsking: Bool { if case .asking = start { true } else { false } }

    /// The reason not to start the handler now, although the bus could start it; `nil` if there is no such reason.
    package func refusal(at now: UInt64) -> String? { failures.refusal(of: application, at: now) }

    package func isOverdue(delivery: UInt64, from name: String) -> Bool {
        connections.slot(of: name).map { connections[$0].overdue[delivery] != nil } ?? false
    }

    /// Whether another request follows this one in its sender queue.
    package func isFollowed(_ id: RequestID) -> Bool { queues.slot(of: id).map { queues.isFollowed($0) } ?? false }

    /// The next request to deliver; `.none` if there is none, or if the window is full.
    private var first: Slot {
        // After a crash, the handler gets one request at a time, because any request may have caused the crash.
        usedWindow < (queues.hasSuspects ? 1 : window) ? queues.first : .none
    }
}

// MARK: Events

extension HandlerQueue {
    package mutating func handle(_ event: Event, at now: UInt64) {
        switch event {
        case .arrived(let id, let sender, let isQueued, let size, let isReady):
            let slot = queues.add(id, from: sender, isQueued: isQueued, size: size, isReady: isReady)
            if let slot, !isQueued { senders.insert(slot) }
            if isReady { reconsider() }
        case .ready(let id, let size):
            guard let slot = queues.slot(of: id), queues[slot].stage == .arriving else { return }
            queues[slot].size = size
            queues.makeReady(slot)
            reconsider()
        case .prepared(let id): if let slot = queues.slot(of: id) { queues.setPrepared(slot) }
        case .unprepared(let id, let pause): unprepared(id, pause, now)
        case .putBack(let id, let isSuspect, let isBackedOff): putBack(id, isSuspect, isBackedOff)
        case .overdue(let id, let delivery): noteOverdue(id, delivery)
        case .ended(let id): remove(id)
        case .handler(let handler): change(to: handler)
        case .ownerUnknown: ownerQuestion = .unanswered
        case .registered(let window, let isOwner):
            self.window = max(1, window)
            if isOwner, connections.current != .none { connections[connections.current].hasRefused = false }
            reconsider()
        case .answered: failures.answered()
        case .answeredLate(let delivery, let name): connections.change(name) { $0.overdue[delivery] = nil }
        case .failed(let reason): failures.failed(at: now, because: reason)
        case .refused(let name): connections.change(name) { $0.refuse() }
        case .cutOff(let name): if connections.change(name, { $0.doubt() }) == true { due.append(.probe(name)) }
        case .stillThere(let name): trust(name)
        case .gone(let name): if connections.change(name, { $0.leave() }) == true { due.append(.confirmCrash(name)) }
        case .crashed(let name): crash(name, now)
        case .activatableChanged:
            if case .asking = start { start = .asking(isOutdated: true) }
            reconsider()
        case .starting: starting(now)
        case .startImpossible(let failure): endImpossibleStart(failure)
        case .startEnded(let failure): endStart(failure, now)
        case .opened: isOpen = true
        case .stopped: isOpen = false
        case .paused(let milliseconds): pauseEnd = now + milliseconds
        case .woke: plannedWake = nil
        }
    }

    /// Allows another attempt at what the bus could not do: start the handler, or name its connection.
    private mutating func reconsider() {
        if start == .impossible { start = .idle }
        if ownerQuestion == .unanswered { ownerQuestion = .none }
    }

    // MARK: Requests

    private mutating func unprepared(_ id: RequestID, _ pause: UInt64?, _ now: UInt64) {
        guard let slot = queues.slot(of: id), queues[slot].stage == .preparing else { return }
        if let pause {
            preparationPauseEnd = max(preparationPauseEnd, now + pause)
        } else {
            connections[queues[slot].connection].refuse()
        }
        due += queues.turnBack(from: slot, isUnprepared: pause != nil).map(Action.turnBack)
    }

    private mutating func putBack(_ id: RequestID, _ isSuspect: Bool, _ isBackedOff: Bool) {
        guard let slot = queues.slot(of: id), queues[slot].connection != .none else { return }
        let isBackedOff = isBackedOff || queues[slot].stage == .unprepared
        release(slot)
        due += queues.putBack(slot, isSuspect: isSuspect, isReady: !isBackedOff).map(Action.turnBack)
        if isBackedOff { backedOff.append(id) }
    }

    private mutating func remove(_ id: RequestID) {
        guard let slot = queues.slot(of: id) else { return }
        if queues[slot].connection == .none { queues.removeWaiting(slot) } else { release(slot) }
        if !queues[slot].isQueued { senders.remove(slot) }
        queues.forget(slot)
    }

    /// Removes a dispatched or in-flight request from the window.
    private mutating func release(_ slot: Slot) {
        let (connection, size) = (queues[slot].connection, queues[slot].size)
        if queues[slot].stage == .inFlight {
            queues.remove(slot, from: &connections[connection].inFlight)
        } else {
            queues.removeDispatched(slot)
        }
        queues[slot].connection = .none
        usedWindow -= 1
        usedBytes -= size
        connections[connection].requestCount -= 1
        connections.discardIfQuiet(connection)
    }

    // MARK: Connections

    private mutating func change(to handler: Handler) {
        self.handler = handler
        ownerQuestion = .none
        if case .at(let name, _) = handler { connections.setCurrent(name) } else { connections.setCurrent(nil) }
        reconsider()
    }

    private mutating func noteOverdue(_ id: RequestID, _ delivery: UInt64) {
        guard let slot = queues.slot(of: id), queues[slot].stage == .inFlight else { return }
        connections[queues[slot].connection].overdue[delivery] = queues[slot].size
    }

    private mutating func trust(_ name: String) {
        guard let connection = connections.slot(of: name), connections[connection].isInDoubt else { return }
        due += queues.ids(of: connections[connection].inFlight).map(Action.stillThere)
        connections.change(name) { $0.trust() }
    }

    /// A request is blamed for a crash only if it was the only one in flight and no delivery was overdue.
    private mutating func crash(_ name: String, _ now: UInt64) {
        guard let connection = connections.slot(of: name), connections[connection].isGone else { return }
        let left = queues.ids(of: connections[connection].inFlight)
        guard !left.isEmpty else { return }
        failures.failed(at: now, because: "\(application) left the bus without answering")
        let isAlone = left.count == 1 && !connections[connection].hadOverdue
        due += left.map { Action.handlerCrashed($0, isAlone: isAlone) }
    }

    // MARK: Starts

    private mutating func starting(_ now: UInt64) {
        start = .running(deliveries: deliveries)
        failures.started(at: now)
        if first != .none { due.append(.trace(queues[first].id, .starting, detail: "")) }
    }

    /// Refuses the requests whose senders are waiting. Queued requests stay until the handler appears.
    private mutating func endImpossibleStart(_ failure: StartFailure) {
        // The handler may have appeared or become startable while the bus was being asked.
        let isCurrent = handler == .absent && start == .asking(isOutdated: false)
        start = isCurrent ? .impossible : .idle
        if isCurrent { refuseSenders(failure) }
    }

    private mutating func endStart(_ failure: StartFailure?, _ now: UInt64) {
        let before = start
        start = .idle
        // A request delivered since the start proves that the handler ran. If it left, another event reports that.
        guard let failure, before == .running(deliveries: deliveries) else { return }
        failures.failed(at: now, because: failure.message)
        if first != .none { due.append(.trace(queues[first].id, .startFailed, detail: failure.message)) }
        refuseSenders(failure)
    }

    /// Refuses the unsent requests of waiting senders. A request that is still being stored stays in the queue until
    /// it is stored, but is not refused again.
    private mutating func refuseSenders(_ failure: StartFailure) {
        let refused = senders.filter { queues[$0].connection == .none }
        guard !refused.isEmpty else { return }
        senders.subtract(refused)
        let inOrder = refused.map { queues[$0] }.sorted { $0.number < $1.number }
        due += inOrder.map { Action.refuse($0.id, failure) }
    }
}

// MARK: Actions

extension HandlerQueue {
    /// Returns the next action; `nil` if there is none until the next event or the time of ``Action/wake(at:)``.
    package mutating func next(at now: UInt64) -> Action? {
        if let action = takeDue() { return action }
        guard isOpen else { return nil }
        endBackOff(now)
        return leave(now) ?? dispatch(now) ?? takeDue()
    }

    private mutating func takeDue() -> Action? {
        guard dueIndex < due.count else { return nil }
        defer {
            dueIndex += 1
            if dueIndex == due.count {
                due.removeAll(keepingCapacity: due.count < 64)
                dueIndex = 0
            }
        }
        return due[dueIndex]
    }

    private mutating func plan(_ time: UInt64) {
        guard plannedWake.map({ time < $0 }) ?? true else { return }
        plannedWake = time
        due.append(.wake(at: time))
    }

    private mutating func endBackOff(_ now: UInt64) {
        guard !backedOff.isEmpty else { return }
        let time = max(failures.nextUse(at: now), preparationPauseEnd)
        guard time <= now else { return plan(time) }
        // If all backed-off requests have ended in the meantime, there is no reason to ask the bus again.
        let slots = backedOff.compactMap(queues.slot(of:)).filter { queues[$0].stage == .backedOff }
        backedOff = []
        guard !slots.isEmpty else { return }
        for slot in slots { queues.makeReady(slot) }
        reconsider()
    }

    /// Sends the next prepared request. If its connection is no longer in use, returns it to the queue instead.
    private mutating func leave(_ now: UInt64) -> Action? {
        let slot = queues.nextSendable()
        guard slot != .none else { return nil }
        let (id, connection) = (queues[slot].id, queues[slot].connection)
        guard connection == connections.current, connections[connection].isOpen else {
            queues.markReturning(slot)
            return .turnBack(id)
        }
        guard !isOnHold(now) else { return nil }
        deliveries += 1
        queues.send(slot, to: &connections[connection].inFlight)
        return .leave(id, delivery: deliveries)
    }

    /// Dispatches the next request. First starts the handler if it is absent, or asks for its connection if unknown.
    private mutating func dispatch(_ now: UInt64) -> Action? {
        let slot = first
        guard slot != .none, !isOnHold(now) else { return nil }
        switch handler {
        case .absent: return startHandler(now)
        case .unnamed:
            guard ownerQuestion == .none else { return nil }
            ownerQuestion = .asked
            return .askForOwner
        case .at:
            let (current, size) = (connections.current, queues[slot].size)
            guard hasRoom(at: connections[current], for: size) else { return nil }
            queues.dispatchFirst(for: current)
            usedWindow += 1
            usedBytes += size
            connections[current].requestCount += 1
            return .dispatch(queues[slot].id)
        }
    }

    /// Whether the handler may get a request of this size. The bus keeps requests in memory until they are read.
    private func hasRoom(at connection: HandlerConnections.Connection, for size: UInt64) -> Bool {
        connection.isOpen && connection.overdue.count < unansweredMost
            && connection.overdue.values.reduce(0, +) < bytesMost && (usedBytes == 0 || usedBytes + size <= bytesMost)
    }

    /// Whether to send nothing now: during a pause, during a switch to or from a direct connection, or while the
    /// handler may have left the bus.
    private mutating func isOnHold(_ now: UInt64) -> Bool {
        guard pauseEnd <= now else {
            plan(pauseEnd)
            return true
        }
        guard case .at(_, let isSwitching) = handler else { return false }
        return isSwitching || connections[connections.current].isInDoubt
    }

    private mutating func startHandler(_ now: UInt64) -> Action? {
        guard start == .idle else { return nil }
        let time = failures.nextStart(at: now)
        guard time > now else {
            start = .asking(isOutdated: false)
            return .start
        }
        if !senders.isEmpty, let reason = failures.refusal(of: application, at: now) {
            refuseSenders(StartFailure(message: reason))
        }
        plan(time)
        return nil
    }
}
