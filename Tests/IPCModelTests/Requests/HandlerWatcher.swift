@testable import IPCModel

/// Judges a handler's queue by the external events and by the queue's actions, without looking at its state.
struct HandlerWatcher: Equatable {
    typealias Stimulus = HandlerScene.Stimulus
    typealias Fact = HandlerScene.Fact

    enum Violation: String {
        /// I8: a request is dispatched or sent before an earlier one from its sender.
        case wrongOrder
        /// The handler has more requests than its window, or more bytes than the bus should hold.
        case overWindow, overBytes
        /// After a crash, the handler gets several requests at a time, although it must get them one by one.
        case notAlone
        /// I15: a sender has two turns while another sender waits for one.
        case passedOver
        /// I1, I7: a request is sent before it is stored, or before its attempt is written.
        case notReady
        /// A request is sent to a handler that is not there, or that may not receive anything now.
        case wrongTime
        /// A failed handler gets its requests again, or is started, before its pause is over.
        case noPause
        /// The handler is started too often, or twice at once.
        case startStorm
        /// I6: a request ended without a reason or twice, or did not end although it had to.
        case wrongEnd
        /// A sender waits for a handler that cannot be started, or is rejected although the handler can be started.
        case wrongRefusal
        /// A dispatched request is returned to the queue without a reason, or is not returned although it had to be.
        case wrongReturn
        /// A request is parked (ended after repeated crashes of the handler) too early or too late.
        case wrongParking
        /// A request could be delivered, but no pending event will cause its delivery.
        case stalled
        case endless
        /// I6: a request never ends.
        case lost
    }

    enum Stage: Hashable { case arriving, waiting, dispatched, prepared, inFlight, overdue, ended }

    struct Request: Equatable {
        let sender: Int
        let isQueued: Bool
        var stage = Stage.arriving
        var connection = 0
        /// Whether the handler left while it had the request, so that the request may be the reason.
        var isSuspect = false
        var crashes: UInt32 = 0
        var handBacks = 0
        var cuts = 0
        var isBackedOff = false
        var isCutOff = false
        var isCancelled = false
        var isRefused = false
        var isUnprepared = false
        var isInWindow: Bool { stage == .dispatched || stage == .prepared || stage == .inFlight }
        var size: UInt64 { HandlerScene.size(sender) }
    }

    enum Start: Equatable {
        case idle, impossible
        case asking(isOutdated: Bool)
        case running(sent: Int)
    }

    private(set) var requests: [Request] = []
    private(set) var owner: Int?
    private(set) var isKnown = true
    private var ownerQuestion = 0
    private(set) var isSwitching = false
    private(set) var start = Start.idle
    private(set) var isStopped = false
    private var window = 1
    private var (refused, doubted, gone, hadOverdue) = (Set<Int>(), Set<Int>(), Set<Int>(), Set<Int>())
    /// The connections that have left and whose crash is to be confirmed, and those for which the queue wants to know
    /// whether they are still on the bus.
    private(set) var (leaving, probed) = (Set<Int>(), Set<Int>())
    private var now: UInt64
    private var wake: UInt64?
    private var (failures, pauseEnd, preparationPauseEnd) = (0, UInt64(0), UInt64(0))
    private var starts: [UInt64] = []
    private var sentCount = 0
    /// For each waiting sender, how often each other sender had a turn in the meantime.
    private var passed: [Int: [Int: Int]] = [:]
    /// Requests for which this step must bring an end, a rejection, or a return to the queue.
    private var (mustEnd, mustBeRefused, mustReturn) = (Set<Int>(), Set<Int>(), Set<Int>())
    private(set) var lastConnection = 0

    init(now: UInt64) { self.now = now }

    // MARK: Events

    /// - Returns: the promise that the queue has broken; `nil` if it has kept all of them.
    mutating func judge(_ stimulus: Stimulus, _ facts: [Fact]) -> Violation? {
        (mustEnd, mustBeRefused, mustReturn) = ([], [], [])
        if let wrong = note(stimulus) { return wrong }
        if requests.contains(where: isReleased) { reconsider() }
        for fact in facts {
            if let wrong = judge(fact) { return wrong }
            forgetPassed()
        }
        // Once a request's pause is over, the next failure of the handler does not make it pause again.
        for index in requests.indices where !isPausing(requests[index]) { requests[index].isBackedOff = false }
        guard mustEnd.isEmpty else { return .wrongEnd }
        guard mustBeRefused.isEmpty else { return .wrongRefusal }
        return mustReturn.isEmpty ? stalled : .wrongReturn
    }

    private mutating func note(_ stimulus: Stimulus) -> Violation? {
        switch stimulus {
        case .arrives(let sender, let isQueued): requests.append(Request(sender: sender, isQueued: isQueued))
        case .stored(let index):
            guard !requests[index].isCancelled else {
                mustEnd.insert(index)
                return nil
            }
            requests[index].stage = .waiting
            reconsider()
        case .prepared(let index): if requests[index].stage == .dispatched { requests[index].stage = .prepared }
        case .notPrepared(let index, let waits):
            if waits { refused.insert(requests[index].connection) } else { preparationPauseEnd = now + 1_000 }
            requests[index].isUnprepared = !waits
            mustReturn.insert(index)
            returnLater(than: index)
        case .answered(let index):
            succeeded()
            mustEnd.insert(index)
        case .answeredLate(let index):
            succeeded()
            requests[index].stage = .ended
        case .handedBack(let index):
            refused.insert(requests[index].connection)
            requests[index].handBacks += 1
            if requests[index].handBacks > 1 { failed() }
            returnToQueue(index, isBackedOff: requests[index].handBacks > 1)
        case .reachedNobody(let index): returnToQueue(index, isBackedOff: false)
        case .cutOff(let index):
            doubted.insert(requests[index].connection)
            requests[index].isCutOff = true
        case .cancelled(let index): cancel(index)
        case .timePassed(let index):
            if requests[index].stage == .arriving { requests[index].isCancelled = true } else { mustEnd.insert(index) }
        case .waits(let milliseconds):
            now += milliseconds
            if let wake, wake <= now { self.wake = nil }
        default: return noteHandler(stimulus)
        }
        return nil
    }

    private mutating func cancel(_ index: Int) {
        switch requests[index].stage {
        case .waiting: mustEnd.insert(index)
        case .ended, .overdue: break
        default: requests[index].isCancelled = true
        }
    }

    private mutating func noteHandler(_ stimulus: Stimulus) -> Violation? {
        switch stimulus {
        case .appears(let connection, let isKnown):
            (owner, self.isKnown, isSwitching, ownerQuestion) = (connection, isKnown, false, 0)
            lastConnection = max(lastConnection, connection)
            reconsider()
        case .ownerUnknown: ownerQuestion = 2
        case .losesName: loseOwner()
        case .leaves(let connection):
            if owner == connection { loseOwner() }
            gone.insert(connection)
            doubted.remove(connection)
            refused.remove(connection)
            for index in requests.indices where requests[index].stage == .overdue {
                guard requests[index].connection == connection else { continue }
                hadOverdue.insert(connection)
                requests[index].stage = .ended
            }
        case .crashed(let connection): crash(connection)
        case .stillThere(let connection): trust(connection)
        case .switches(let isSwitching): (self.isSwitching, ownerQuestion) = (isSwitching, 0)
        case .registers(let window):
            self.window = window
            if let owner, isKnown { refused.remove(owner) }
            reconsider()
        case .canStart: return begin()
        case .cannotStart:
            guard owner == nil, start == .asking(isOutdated: false) else {
                start = .idle
                return nil
            }
            start = .impossible
            refuseSenders()
        case .startFails:
            if start == .running(sent: sentCount) {
                failed()
                refuseSenders()
            }
            start = .idle
        case .startSucceeds: start = .idle
        case .activatableChanged:
            if case .asking = start { start = .asking(isOutdated: true) }
            reconsider()
        default: isStopped = true
        }
        return nil
    }

    private mutating func reconsider() {
        if start == .impossible { start = .idle }
        if ownerQuestion == 2 { ownerQuestion = 0 }
    }

    private mutating func loseOwner() {
        (owner, isKnown, isSwitching, ownerQuestion) = (nil, true, false, 0)
        reconsider()
    }

    private mutating func crash(_ connection: Int) {
        leaving.remove(connection)
        let left = requests.indices.filter { requests[$0].stage == .inFlight && requests[$0].connection == connection }
        guard !left.isEmpty else { return }
        failed()
        let isAlone = left.count == 1 && !hadOverdue.contains(connection)
        for index in left {
            requests[index].isSuspect = true
            if isAlone { requests[index].crashes += 1 }
            if !requests[index].isQueued || requests[index].crashes >= HandlerScene.crashesPerRequest {
                mustEnd.insert(index)
            } else {
                returnToQueue(index, isBackedOff: true)
            }
        }
    }

    private mutating func trust(_ connection: Int) {
        probed.remove(connection)
        guard doubted.remove(connection) != nil else { return }
        for index in requests.indices where requests[index].stage == .inFlight && requests[index].isCutOff {
            guard requests[index].connection == connection else { continue }
            requests[index].cuts += 1
            if requests[index].cuts > 1 { failed() }
            returnToQueue(index, isBackedOff: requests[index].cuts > 1)
        }
    }

    private mutating func returnToQueue(_ index: Int, isBackedOff: Bool) {
        passed[requests[index].sender] = nil
        if requests[index].isCancelled { mustEnd.insert(index) } else { returnLater(than: index) }
        requests[index].stage = .waiting
        requests[index].isCutOff = false
        requests[index].isBackedOff =
            isBackedOff || requests[index].isSuspect || requests[index].handBacks > 1 || requests[index].cuts > 1
    }

    /// When a request returns to the queue, later requests of its sender that were dispatched but not sent return too.
    /// Otherwise they would be sent before it.
    private mutating func returnLater(than index: Int) {
        for other in index + 1..<requests.count where requests[other].sender == requests[index].sender {
            if [.dispatched, .prepared].contains(requests[other].stage) { mustReturn.insert(other) }
        }
    }

    private mutating func begin() -> Violation? {
        start = .running(sent: sentCount)
        starts.removeAll { $0 + HandlerScene.limits.activationPeriodMilliseconds <= now }
        starts.append(now)
        return starts.count > Int(HandlerScene.limits.activationStarts) ? .startStorm : nil
    }

    /// Demands a rejection for each sender that is waiting for the handler and was not rejected before.
    private mutating func refuseSenders() {
        for index in requests.indices where !requests[index].isQueued && !requests[index].isRefused {
            if [.arriving, .waiting].contains(requests[index].stage) { mustBeRefused.insert(index) }
        }
    }

    private mutating func succeeded() { (failures, pauseEnd, starts) = (0, 0, []) }

    private mutating func failed() {
        failures += 1
        pauseEnd = now + min(100 << UInt64(failures - 1), HandlerScene.limits.backOffMostMilliseconds)
    }

    // MARK: Actions

    private mutating func judge(_ fact: Fact) -> Violation? {
        switch fact {
        case .dispatched(let index): return judgeDispatch(index)
        case .turnedBack(let index): return judgeReturn(index)
        case .refused(let index): return judgeRefusal(index)
        case .sent(let index): return judgeSending(index)
        case .ended(let index, let text): return judgeEnd(index, text)
        case .start:
            guard start == .idle else { return .startStorm }
            start = .asking(isOutdated: false)
            if now < pauseEnd { return .noPause }
            return owner == nil ? nil : .wrongTime
        case .asks: ownerQuestion = 1
        case .probes(let connection): probed.insert(connection)
        case .confirms(let connection): leaving.insert(connection)
        case .planned(let time): wake = min(wake ?? time, time)
        case .endless: return .endless
        }
        return nil
    }

    private mutating func judgeDispatch(_ index: Int) -> Violation? {
        let request = requests[index]
        guard request.stage == .waiting else { return .notReady }
        guard isFirst(index, of: [.arriving, .waiting]) else { return .wrongOrder }
        guard let owner, isKnown, isOpen(owner), overdueCount(of: owner) < 2 else { return .wrongTime }
        if request.isBackedOff, now < max(pauseEnd, preparationPauseEnd) { return .noPause }
        let others = requests.filter(\.isInWindow)
        if isCautious, !others.isEmpty { return .notAlone }
        guard others.count < window else { return .overWindow }
        let bytes = others.reduce(0) { $0 + $1.size }
        guard bytes == 0 || bytes + request.size <= HandlerScene.limits.bytesInFlight else { return .overBytes }
        for other in deliverableSenders where other != request.sender {
            passed[other, default: [:]][request.sender, default: 0] += 1
            if passed[other]?[request.sender] == 2 { return .passedOver }
        }
        passed[request.sender] = nil
        requests[index].isBackedOff = false
        requests[index].connection = owner
        requests[index].stage = request.isQueued ? .dispatched : .prepared
        return nil
    }

    private mutating func judgeReturn(_ index: Int) -> Violation? {
        let request = requests[index]
        guard request.stage == .dispatched || request.stage == .prepared else { return .wrongReturn }
        let isDue = mustReturn.remove(index) != nil
        let isCurrent = isKnown && owner == request.connection && !refused.contains(request.connection)
        guard isDue || !isCurrent else { return .wrongReturn }
        returnToQueue(index, isBackedOff: request.isUnprepared)
        requests[index].isUnprepared = false
        // If the returned request is cancelled, it ends and does not wait again.
        if isReleased(requests[index]), !requests[index].isCancelled { reconsider() }
        return nil
    }

    private mutating func judgeRefusal(_ index: Int) -> Violation? {
        let request = requests[index]
        guard !request.isQueued, !request.isRefused else { return .wrongRefusal }
        let isDue = mustBeRefused.remove(index) != nil
        guard isDue || owner == nil && start == .idle else { return .wrongRefusal }
        requests[index].isRefused = true
        // An arriving request ends once it is stored.
        if request.stage == .arriving { requests[index].isCancelled = true } else { mustEnd.insert(index) }
        return nil
    }

    private mutating func judgeSending(_ index: Int) -> Violation? {
        guard requests[index].stage == .prepared else { return .notReady }
        guard isFirst(index, of: [.arriving, .waiting, .dispatched, .prepared]) else { return .wrongOrder }
        guard let owner, owner == requests[index].connection, isOpen(owner) else { return .wrongTime }
        guard !requests[index].isCancelled else { return .wrongEnd }
        requests[index].stage = .inFlight
        sentCount += 1
        return nil
    }

    private mutating func judgeEnd(_ index: Int, _ text: String) -> Violation? {
        let request = requests[index]
        let isDue = mustEnd.remove(index) != nil
        guard request.stage != .ended, request.stage != .overdue else { return .wrongEnd }
        let isParked = text.hasSuffix("parked")
        if isParked != (request.crashes >= HandlerScene.crashesPerRequest && request.isQueued) { return .wrongParking }
        // If a request is cancelled, it ends at the latest when it would be sent.
        guard isDue || request.isCancelled && request.stage != .arriving else { return .wrongEnd }
        if request.stage == .prepared { sentCount += 1 }
        let isUnanswered = text.hasPrefix("timed-out") && request.stage == .inFlight && !request.isCutOff
        requests[index].stage = isUnanswered ? .overdue : .ended
        return nil
    }

    private func isFirst(_ index: Int, of stages: Set<Stage>) -> Bool {
        !requests[..<index].contains { $0.sender == requests[index].sender && stages.contains($0.stage) }
    }

    /// Whether requests may be sent to a connection now.
    private func isOpen(_ connection: Int) -> Bool {
        !isStopped && !isSwitching && !refused.contains(connection) && !doubted.contains(connection)
            && !gone.contains(connection)
    }

    private func overdueCount(of connection: Int) -> Int {
        requests.count { $0.stage == .overdue && $0.connection == connection }
    }

    private func head(_ sender: Int) -> Request? {
        requests.first { $0.sender == sender && [.arriving, .waiting].contains($0.stage) }
    }

    /// The senders whose next request can be delivered.
    private var deliverableSenders: Set<Int> {
        Set(requests.map(\.sender)).filter { head($0).map { $0.stage == .waiting && !isPausing($0) } ?? false }
    }

    /// Whether a request that the handler had when it left has still not ended.
    private var isCautious: Bool { requests.contains { $0.isSuspect && $0.stage != .ended && $0.stage != .overdue } }

    /// Whether the pause of a request has just ended.
    private func isReleased(_ request: Request) -> Bool {
        request.stage == .waiting && request.isBackedOff && !isPausing(request)
    }

    private func isPausing(_ request: Request) -> Bool {
        request.isBackedOff && now < max(pauseEnd, preparationPauseEnd)
    }

    private mutating func forgetPassed() {
        let deliverable = deliverableSenders
        passed = passed.filter { deliverable.contains($0.key) }
    }

    // MARK: Coming to rest

    /// Whether a request could be delivered, and no pending event will cause that.
    private var stalled: Violation? {
        guard !isStopped else { return nil }
        if requests.contains(where: { $0.stage == .waiting && isPausing($0) }), wake == nil { return .stalled }
        if let prepared = requests.firstIndex(where: { $0.stage == .prepared }),
            isFirst(prepared, of: [.dispatched]), owner == nil || isKnown && owner.map(isOpen) == true
        {
            return .stalled
        }
        let used = requests.filter(\.isInWindow)
        let heads = deliverableSenders.compactMap(head)
        guard !heads.isEmpty, used.count < (isCautious ? 1 : window) else { return nil }
        guard let owner else { return start == .idle && wake == nil ? .stalled : nil }
        guard isKnown else { return ownerQuestion == 0 ? .stalled : nil }
        let bytes = used.reduce(0) { $0 + $1.size }
        guard isOpen(owner), overdueCount(of: owner) < 2, bytes == 0 || heads.allSatisfy({ bytes + $0.size <= 4 })
        else { return nil }
        return .stalled
    }
}

// MARK: The next events

extension HandlerWatcher {
    /// Returns all events that can happen next. No more requests arrive once there are `mostRequests`.
    func offers(mostRequests: Int) -> [Stimulus] {
        var offers: [Stimulus] = requests.indices.flatMap { requestOffers($0) }
        if requests.count < mostRequests {
            offers += [.arrives(sender: 0, isQueued: true), .arrives(sender: 1, isQueued: false)]
        }
        if let owner {
            offers += [.losesName, .leaves(owner), .registers(window: 1), .registers(window: 2)]
            if isKnown { offers.append(.switches(!isSwitching)) } else { offers.append(.ownerUnknown) }
        }
        offers += [.appears(lastConnection + 1, isKnown: true), .appears(lastConnection + 1, isKnown: false)]
        if let owner, !isKnown { offers.append(.appears(owner, isKnown: true)) }
        offers += leaving.sorted().map(Stimulus.crashed)
        for connection in probed.subtracting(gone).sorted() {
            offers += [.stillThere(connection), .leaves(connection)]
        }
        switch start {
        case .asking: offers += [.canStart, .cannotStart]
        case .running: offers += [.startFails, .startSucceeds]
        case .idle, .impossible: break
        }
        return offers + [.activatableChanged, .waits(100), .waits(10_000), .stops]
    }

    private func requestOffers(_ index: Int) -> [Stimulus] {
        let request = requests[index]
        switch request.stage {
        case .arriving: return [.stored(index), .cancelled(index)]
        case .waiting: return [.cancelled(index), .timePassed(index)]
        case .dispatched:
            return [
                .prepared(index), .notPrepared(index, waitsForRegistration: false),
                .notPrepared(index, waitsForRegistration: true), .cancelled(index),
            ]
        case .prepared: return [.cancelled(index)]
        case .inFlight where request.isCutOff: return [.timePassed(index)]
        case .inFlight:
            return [
                .answered(index), .handedBack(index), .reachedNobody(index), .cutOff(index), .timePassed(index),
                .cancelled(index),
            ]
        case .overdue: return [.answeredLate(index)]
        case .ended: return []
        }
    }

    /// The next event of a cooperative handler, which accepts and answers everything, so that all requests reach their
    /// outcomes.
    func help() -> Stimulus? {
        if isStopped { return nil }
        for index in requests.indices {
            switch requests[index].stage {
            case .arriving: return .stored(index)
            case .dispatched: return .prepared(index)
            case .inFlight where !requests[index].isCutOff: return .answered(index)
            case .overdue: return .answeredLate(index)
            default: break
            }
        }
        if let connection = leaving.min() { return .crashed(connection) }
        if let connection = probed.subtracting(gone).min() { return .stillThere(connection) }
        guard requests.contains(where: { $0.stage != .ended }) else { return nil }
        guard let owner else { return .appears(lastConnection + 1, isKnown: true) }
        if !isKnown { return .appears(owner, isKnown: true) }
        if isSwitching { return .switches(false) }
        if refused.contains(owner) { return .registers(window: 2) }
        return .waits(1_000)
    }
}
