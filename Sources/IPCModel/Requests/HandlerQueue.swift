/// The requests for one handler, and when each of them is sent: the state machine of a handler, as ``RequestLife`` is that
/// of a request.
///
/// ``SenderQueues`` decides which request is next (I8, I15). This type decides when the next one may leave: it owns the
/// window (one request at a time after a crash), the pauses after a failure, and the starts of the handler. Neither decides
/// the end of a request. This type returns what happened as an action, the action becomes an event of the request's
/// ``RequestLife``, and that life answers with events of this queue.
///
/// A value without clock, bus or store: ``handle(_:at:)`` takes an event, and ``next(at:)`` returns the next action until
/// there is none. It chooses an action at the call of ``next(at:)``: so the events of earlier actions count, and events
/// that belong together are handled before the first action. Times are milliseconds of one clock. No operation takes
/// longer if more requests wait.
package struct HandlerQueue: Sendable, Equatable {
    package enum Event: Sendable, Hashable {
        /// A request takes its place at the end of its sender queue.
        /// - isQueued: its sender does not wait.
        /// - size: bytes of URL and payload.
        /// - isReady: it is stored, if it has to be.
        case arrived(RequestID, SenderQueueKey, isQueued: Bool, size: UInt64, isReady: Bool)
        /// It may be delivered when its turn comes.
        case ready(RequestID, size: UInt64)
        /// Its attempt is written.
        case prepared(RequestID)
        /// Its attempt could not be written. It is tried again after a pause in milliseconds, or, for nil, when the handler
        /// registers.
        case unprepared(RequestID, pause: UInt64?)
        /// It returns to its place.
        /// - isSuspect: the handler crashed while it had the request.
        /// - isBackedOff: it waits for the end of the handler's pause.
        case putBack(RequestID, isSuspect: Bool, isBackedOff: Bool)
        /// Its time passed; the handler still has it under this number, and may answer later.
        case overdue(RequestID, delivery: UInt64)
        /// It ended, or was not accepted.
        case ended(RequestID)

        /// The state of the handler on the bus.
        case handler(Handler)
        /// The bus did not say which connection owns the handler's name.
        case ownerUnknown
        case registered(window: Int, isOwner: Bool)
        case answered
        /// An answer to an overdue delivery, or the end of waiting for it.
        case answeredLate(delivery: UInt64, from: String)
        /// The handler repeats a ``RequestLife/HandlerFailure``.
        case failed(because: String)
        /// A connection returned a request unread. It gets nothing until it registers again.
        case refused(by: String)
        /// The direct connection of a connection of the bus ended while it had requests.
        case cutOff(String)
        /// It is still on the bus.
        case stillThere(String)
        /// It left the bus, and the errors for undelivered requests may still arrive.
        case gone(String)
        /// Those errors have arrived: it left with the requests that it still has.
        case crashed(String)

        case activatableChanged
        /// The bus starts the handler.
        case starting
        /// The bus has no way to start it.
        case startImpossible(StartFailure)
        case startEnded(StartFailure?)

        /// The broker may deliver from now on.
        case opened
        /// The broker delivers no more.
        case stopped
        /// Nothing can be sent for a while.
        case paused(milliseconds: UInt64)
        /// The time of ``Action/wake(at:)`` has come.
        case woke
    }

    package enum Action: Sendable, Hashable {
        /// ``RequestLife/Event/turn``.
        case dispatch(RequestID)
        /// ``RequestLife/Event/leaves(delivery:)``.
        case leave(RequestID, delivery: UInt64)
        /// ``RequestLife/Event/turnedBack``.
        case turnBack(RequestID)
        /// ``RequestLife/Event/handlerCrashed(isAlone:limit:)``.
        case handlerCrashed(RequestID, isAlone: Bool)
        /// ``RequestLife/Event/stillThere``.
        case stillThere(RequestID)
        /// Its sender waits for a handler that cannot be started.
        case refuse(RequestID, StartFailure)
        case trace(RequestID, TraceStep.Kind, detail: String)
        case start
        case askForOwner
        /// Ask a connection whose direct connection ended whether it is still there.
        case probe(String)
        /// Report ``Event/crashed(_:)`` when all errors for undelivered requests have arrived.
        case confirmCrash(String)
        /// Ask for the next action at this time at the latest.
        case wake(at: UInt64)
    }

    package enum Handler: Sendable, Hashable {
        case absent
        /// It runs, and its connection has to be asked for.
        case unnamed
        /// - isSwitching: its route changes, and a request could overtake an earlier one.
        case at(String, isSwitching: Bool)
    }

    /// The reason why a handler cannot be started, with the name of a D-Bus error.
    package struct StartFailure: Sendable, Hashable {
        package let errorName: String
        package let message: String

        package init(errorName: String = "", message: String) { (self.errorName, self.message) = (errorName, message) }
    }

    private enum Start: Sendable, Equatable {
        case idle
        /// - isOutdated: the bus has reported other programs since the question.
        case asking(isOutdated: Bool)
        /// - deliveries: the count of deliveries when the start began.
        case running(deliveries: UInt64)
        /// Until something changes.
        case impossible
    }

    private enum OwnerQuestion: Sendable { case none, asked, unanswered }

    private let application: ApplicationID
    private let unansweredMost: Int
    private let bytesMost: UInt64
    private(set) var window: Int
    private(set) var queues = SenderQueues()
    /// The requests whose senders wait, and have not been refused.
    private var senders: Set<Slot> = []
    /// The count of requests that are dispatched or in flight, and their bytes.
    private(set) var usedWindow = 0
    private var usedBytes: UInt64 = 0
    private var deliveries: UInt64 = 0
    private var connections = HandlerConnections()
    private var handler = Handler.absent
    private var ownerQuestion = OwnerQuestion.none
    private var start = Start.idle
    private var failures: HandlerFailures
    private var backedOff: [RequestID] = []
    /// No backed-off request is tried before the first time, and nothing is sent before the second.
    private var (preparationPauseEnd, pauseEnd) = (UInt64(0), UInt64(0))
    private var plannedWake: UInt64?
    private var isOpen = false
    /// Actions that an event decided; those before `dueIndex` are taken.
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
    /// Whether this value can be forgotten.
    package func isIdle(at now: UInt64) -> Bool {
        queues.isEmpty && !isStarting && connections.areQuiet && failures.isQuiet(at: now)
    }

    package var isStarting: Bool {
        switch start {
        case .asking, .running: true
        case .idle, .impossible: false
        }
    }

    /// The reason why the handler is not started now, although the bus could start it; nil if it would be started.
    package func refusal(at now: UInt64) -> String? { failures.refusal(of: application, at: now) }

    package func isOverdue(delivery: UInt64, from name: String) -> Bool {
        connections.slot(of: name).map { connections[$0].overdue[delivery] != nil } ?? false
    }

    /// Whether another request waits behind a request in its sender queue.
    package func isFollowed(_ id: RequestID) -> Bool { queues.slot(of: id).map { queues.isFollowed($0) } ?? false }

    /// The first request that could be delivered, if there is room for it in the window.
    private var first: Slot {
        // After a crash the handler gets one request at a time, because any of them may be the reason.
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

    /// Repeats a question that failed before something changed.
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

    /// Takes a request that is dispatched or in flight out of the window.
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

    /// Only a request that the handler had alone, without an overdue delivery, may be the reason of a crash.
    private mutating func crash(_ name: String, _ now: UInt64) {
        guard let connection = connections.slot(of: name), connections[connection].isGone else { return }
        let left = queues.ids(of: connections[connection].inFlight)
        guard !left.isEmpty else { return }
        failures.failed(at: now, because: "\(application) left the bus without an answer")
        let isAlone = left.count == 1 && !connections[connection].hadOverdue
        due += left.map { Action.handlerCrashed($0, isAlone: isAlone) }
    }

    // MARK: Starts

    private mutating func starting(_ now: UInt64) {
        start = .running(deliveries: deliveries)
        failures.started(at: now)
        if first != .none { due.append(.trace(queues[first].id, .starting, detail: "")) }
    }

    /// A queued request waits until the handler appears.
    private mutating func endImpossibleStart(_ failure: StartFailure) {
        // It may have appeared, or be startable by now, while the bus was asked.
        let isCurrent = handler == .absent && start == .asking(isOutdated: false)
        start = isCurrent ? .impossible : .idle
        if isCurrent { refuseSenders(failure) }
    }

    private mutating func endStart(_ failure: StartFailure?, _ now: UInt64) {
        let before = start
        start = .idle
        // If the handler got a request, it was there. If it has left by now, that is an event of its own.
        guard let failure, before == .running(deliveries: deliveries) else { return }
        failures.failed(at: now, because: failure.message)
        if first != .none { due.append(.trace(queues[first].id, .startFailed, detail: failure.message)) }
        refuseSenders(failure)
    }

    /// Refuses the requests of waiting senders that were not sent; each once, because one may still be arriving.
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
    /// The next action; nil if there is nothing to do before the next event or the planned time.
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
        // Those that have ended meanwhile are no reason to ask the bus again.
        let slots = backedOff.compactMap(queues.slot(of:)).filter { queues[$0].stage == .backedOff }
        backedOff = []
        guard !slots.isEmpty else { return }
        for slot in slots { queues.makeReady(slot) }
        reconsider()
    }

    /// Lets a prepared request leave, if the handler is still the connection for which it was dispatched.
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

    /// Dispatches the next request, or does what it needs first.
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

    /// Whether the handler may get a request: the bus keeps requests in memory that a handler does not read or answer.
    private func hasRoom(at connection: HandlerConnections.Connection, for size: UInt64) -> Bool {
        connection.isOpen && connection.overdue.count < unansweredMost
            && connection.overdue.values.reduce(0, +) < bytesMost && (usedBytes == 0 || usedBytes + size <= bytesMost)
    }

    /// Whether nothing may be sent now. An earlier request may be on another route, or has to be sent again first.
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
