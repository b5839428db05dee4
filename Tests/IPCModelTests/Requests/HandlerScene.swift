@testable import IPCModel

/// A ``HandlerQueue`` and the ``RequestLife`` of each request, connected as in the broker, with at most one defect.
struct HandlerScene: Equatable {
    /// An external event. Requests and connections are numbers.
    enum Stimulus: Hashable {
        case arrives(sender: Int, isQueued: Bool)
        case stored(Int)
        case prepared(Int)
        case notPrepared(Int, waitsForRegistration: Bool)
        case answered(Int)
        case answeredLate(Int)
        case handedBack(Int)
        case reachedNobody(Int)
        case cutOff(Int)
        case cancelled(Int)
        case timePassed(Int)
        /// A connection takes the handler's name. Its owner is known at once, or must be queried first.
        case appears(Int, isKnown: Bool)
        case ownerUnknown
        case losesName
        /// The connection loses the handler's name and leaves the bus.
        case leaves(Int)
        case crashed(Int)
        case stillThere(Int)
        case switches(Bool)
        case registers(window: Int)
        case canStart, cannotStart, startFails, startSucceeds
        case activatableChanged
        case waits(UInt64)
        case stops
    }

    /// An action of the ``HandlerQueue``, or of the ``RequestLife`` of a request.
    enum Fact: Hashable {
        case dispatched(Int)
        case turnedBack(Int)
        case sent(Int)
        case refused(Int)
        case ended(Int, String)
        case start, asks
        case probes(Int)
        case confirms(Int)
        case planned(UInt64)
        /// The queue keeps producing events and never comes to rest.
        case endless
    }

    enum Defect: String, CaseIterable {
        case widensTheWindow, forgetsSuspicion, countsAllCrashes, countsNoCrash, losesWhatIsPutBack, putsBackBehind,
            losesReady
        case ignoresPauses, neverWakes, countsNoStart, startsTwice, oneSenderQueue, queueForEach, sendsUnprepared
        case forgetsRefusals, trustsAll, forgetsOverdue, ignoresSizes, keepsSendersWaiting, refusesQueued, neverStops
        case ignoresSwitching, keepsTheOwner, forgetsUnprepared, neverFails
    }

    struct Request: Equatable {
        let sender: Int
        let size: UInt64
        var life: RequestLife
        /// The number of the latest delivery of this request, and the connection that received it.
        var delivery: UInt64 = 0
        var connection = 0
    }

    static let limits = {
        var limits = Limits()
        (limits.activationStarts, limits.activationPeriodMilliseconds) = (2, 10_000)
        (limits.backOffMilliseconds, limits.backOffMostMilliseconds) = (100, 400)
        (limits.unansweredMost, limits.bytesInFlight, limits.crashesPerRequest) = (
            2, 4, UInt64(HandlerScene.crashesPerRequest)
        )
        return limits
    }()
    static let crashesPerRequest: UInt32 = 2

    private let defect: Defect?
    private(set) var queue: HandlerQueue
    private(set) var requests: [Request] = []
    private(set) var now: UInt64 = 100_000
    private var plannedWake: UInt64?
    private var owner: Int?
    private var facts: [Fact] = []
    private var isProceeding = false

    init(_ defect: Defect? = nil) {
        let application: ApplicationID = "demo.Handler"
        self.defect = defect
        queue = HandlerQueue(of: application, window: 1, limits: Self.limits)
        queue.handle(.opened, at: now)
    }

    private static let ids = (0..<4_096).compactMap { try? RequestID("request-of-a-test-\($0)") }
    private static let numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })

    // MARK: External events

    /// - Returns: the actions that the ``HandlerQueue`` and the requests take after the event.
    mutating func happens(_ stimulus: Stimulus) -> [Fact] {
        switch stimulus {
        case .arrives(let sender, let isQueued): arrive(sender, isQueued)
        case .stored(let index): handle(.stored, index)
        case .prepared(let index):
            handle(.prepared(attempt: requests[index].life.attempts + 1), index)
            note(.prepared(Self.ids[index]))
        case .notPrepared(let index, let waits): note(.unprepared(Self.ids[index], pause: waits ? nil : 1_000))
        case .answered(let index):
            note(.answered)
            handle(.answered(delivery: requests[index].delivery, RequestEnd(.handled)), index)
        case .answeredLate(let index):
            note(.answeredLate(delivery: requests[index].delivery, from: Self.name(requests[index].connection)))
            note(.answered)
        case .handedBack(let index):
            note(.refused(by: Self.name(requests[index].connection)))
            handle(.handedBack(delivery: requests[index].delivery), index)
        case .reachedNobody(let index): handle(.reachedNobody(delivery: requests[index].delivery), index)
        case .cutOff(let index):
            note(.cutOff(Self.name(requests[index].connection)))
            handle(.cutOff(delivery: requests[index].delivery), index)
        case .cancelled(let index): handle(.calledOff(.calledOff), index)
        case .timePassed(let index): handle(.timePassed(isHandlerStarting: queue.isStarting), index)
        case .waits(let milliseconds): wait(milliseconds)
        default: handlerEvent(stimulus)
        }
        proceed()
        defer { facts = [] }
        return facts
    }

    private mutating func handlerEvent(_ stimulus: Stimulus) {
        switch stimulus {
        case .appears(let connection, let isKnown):
            owner = connection
            note(.handler(isKnown ? .at(Self.name(connection), isSwitching: false) : .unnamed))
        case .ownerUnknown: note(.ownerUnknown)
        case .losesName: loseName()
        case .leaves(let connection):
            if owner == connection { loseName() }
            note(.gone(Self.name(connection)))
        case .crashed(let connection): note(.crashed(Self.name(connection)))
        case .stillThere(let connection): note(.stillThere(Self.name(connection)))
        case .switches(let isSwitching):
            if let owner { note(.handler(.at(Self.name(owner), isSwitching: isSwitching))) }
        case .registers(let window): note(.registered(window: window, isOwner: true))
        case .canStart: note(.starting)
        case .cannotStart: note(.startImpossible(HandlerQueue.StartFailure(message: "no service file")))
        case .startFails: note(.startEnded(HandlerQueue.StartFailure(message: "it ended at once")))
        case .startSucceeds: note(.startEnded(nil))
        case .activatableChanged: note(.activatableChanged)
        default: note(.stopped)
        }
    }

    private mutating func loseName() {
        owner = nil
        note(.handler(.absent))
    }

    private mutating func arrive(_ sender: Int, _ isQueued: Bool) {
        let index = requests.count
        let size: UInt64 = defect == .ignoresSizes ? 0 : Self.size(sender)
        requests.append(Request(sender: sender, size: size, life: RequestLife(isQueued: isQueued)))
        let queue = defect == .oneSenderQueue ? 0 : defect == .queueForEach ? index : sender
        note(
            .arrived(
                Self.ids[index], .connection(":1.\(queue)"), isQueued: isQueued && defect != .refusesQueued, size: size,
                isReady: false))
    }

    static func size(_ sender: Int) -> UInt64 { sender == 1 ? 3 : 1 }

    private mutating func wait(_ milliseconds: UInt64) {
        now += milliseconds
        guard let wake = plannedWake, wake <= now else { return }
        plannedWake = nil
        note(.woke)
    }

    static func name(_ connection: Int) -> String { ":1.9\(connection)" }

    // MARK: Connecting the queue and the requests

    private mutating func note(_ event: HandlerQueue.Event) {
        guard let event = changed(event) else { return }
        queue.handle(event, at: now)
    }

    private mutating func handle(_ event: RequestLife.Event, _ index: Int) {
        for action in requests[index].life.handle(event) { perform(action, index) }
        proceed()
    }

    private mutating func perform(_ action: RequestLife.Action, _ index: Int) {
        let id = Self.ids[index]
        switch action {
        case .makeReady: note(.ready(id, size: requests[index].size))
        case .prepare: if defect == .sendsUnprepared { prepareAtOnce(index) }
        case .send: facts.append(.sent(index))
        case .putBack(let isSuspect, let isBackedOff):
            note(.putBack(id, isSuspect: isSuspect, isBackedOff: isBackedOff))
        case .noteFailure: note(.failed(because: "it does this again and again"))
        case .giveUp(let delivery, let isCutOff): if !isCutOff { note(.overdue(id, delivery: delivery)) }
        case .end(let end):
            note(.ended(id))
            facts.append(.ended(index, end.map { "\($0.outcome.rawValue) \($0.failure.code)" } ?? ""))
        case .askToCancel, .writeCrash: break
        }
    }

    private mutating func prepareAtOnce(_ index: Int) {
        _ = requests[index].life.handle(.prepared(attempt: requests[index].life.attempts + 1))
        queue.handle(.prepared(Self.ids[index]), at: now)
    }

    private mutating func proceed() {
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        var count = 0
        while let action = queue.next(at: now) {
            count += 1
            guard count < 10_000 else { return facts.append(.endless) }
            perform(action)
        }
    }

    private mutating func perform(_ action: HandlerQueue.Action) {
        switch action {
        case .dispatch(let id): act(.dispatched(number(id)), .turn, number(id))
        case .leave(let id, let delivery):
            requests[number(id)].delivery = delivery
            requests[number(id)].connection = owner ?? 0
            handle(.leaves(delivery: delivery), number(id))
        case .turnBack(let id): act(.turnedBack(number(id)), .turnedBack, number(id))
        case .handlerCrashed(let id, let isAlone):
            let isAlone = defect == .countsAllCrashes || isAlone && defect != .countsNoCrash
            handle(.handlerCrashed(isAlone: isAlone, limit: Self.crashesPerRequest), number(id))
        case .stillThere(let id): handle(.stillThere, number(id))
        case .refuse(let id, let failure):
            guard defect != .keepsSendersWaiting else { return }
            let end = RequestEnd(.unavailable, because: failure.message)
            act(.refused(number(id)), .undeliverable(end), number(id))
        case .trace: break
        case .start:
            facts.append(.start)
            if defect == .startsTwice { facts.append(.start) }
        case .askForOwner: facts.append(.asks)
        case .probe(let name): facts.append(.probes(Int(name.dropFirst(4)) ?? 0))
        case .confirmCrash(let name): facts.append(.confirms(Int(name.dropFirst(4)) ?? 0))
        case .wake(let time):
            facts.append(.planned(time))
            if defect != .neverWakes { plannedWake = min(plannedWake ?? time, time) }
        }
    }

    private mutating func act(_ fact: Fact, _ event: RequestLife.Event, _ index: Int) {
        facts.append(fact)
        handle(event, index)
    }

    private func number(_ id: RequestID) -> Int { Self.numbers[id] ?? 0 }

    // MARK: Defects

    /// The event as a queue with the defect would receive it; `nil` if the defect hides the event.
    private mutating func changed(_ event: HandlerQueue.Event) -> HandlerQueue.Event? {
        switch (defect, event) {
        case (.widensTheWindow, .registered(let window, let isOwner)):
            return .registered(window: window + 1, isOwner: isOwner)
        case (.forgetsSuspicion, .putBack(let id, _, let isBackedOff)):
            return .putBack(id, isSuspect: false, isBackedOff: isBackedOff)
        case (.losesWhatIsPutBack, .putBack(let id, _, _)): return .ended(id)
        case (.putsBackBehind, .putBack(let id, _, _)):
            queue.handle(.ended(id), at: now)
            let request = requests[number(id)]
            return .arrived(
                id, .connection(":1.\(request.sender)"), isQueued: request.life.isQueued, size: request.size,
                isReady: true)
        case (.losesReady, .ready): return nil
        case (.ignoresPauses, .putBack(let id, let isSuspect, _)):
            return .putBack(id, isSuspect: isSuspect, isBackedOff: false)
        case (.countsNoStart, .starting): return .activatableChanged
        case (.forgetsRefusals, .refused): return nil
        case (.trustsAll, .cutOff): return nil
        case (.forgetsOverdue, .overdue): return nil
        case (.neverStops, .stopped): return nil
        case (.ignoresSwitching, .handler(.at(let name, true))): return .handler(.at(name, isSwitching: false))
        case (.keepsTheOwner, .handler(.absent)): return nil
        case (.forgetsUnprepared, .unprepared): return nil
        case (.neverFails, .failed), (.neverFails, .startEnded(.some)): return .activatableChanged
        default: return event
        }
    }
}
