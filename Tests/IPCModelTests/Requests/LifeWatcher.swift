@testable import IPCModel

/// Judges a ``RequestLife`` by its events and actions, without looking at its state.
struct LifeWatcher: Hashable {
    enum Violation: String, CaseIterable {
        /// I6: the request ends twice, or acts after it has ended.
        case secondEnd
        /// I1: the request is sent or ends before its first record is written.
        case beforeBeginning
        /// I7: the attempt of a later delivery does not have a higher number.
        case sameAttempt
        /// I7: a queued request is sent, but its attempt was not written.
        case unwrittenAttempt
        /// I8: the request is sent while the handler already has it.
        case sentTwice
        /// A cancelled request is sent, or put back into its sender queue.
        case sentAfterCallOff
        /// An event that belongs to an earlier delivery has an effect.
        case staleEvent
        /// A sender keeps waiting although its handler left.
        case senderNotTold
        /// The request is parked (ended after repeated crashes of its handler) too early or too late, or ends after a
        /// single crash.
        case wrongParking
        /// I7: the request is put back before the handler's crash is written.
        case unwrittenCrash
        /// There is no pause after a repeated failure, or there is one after a single failure.
        case wrongPause
        /// The request ends as `expired`, which promises that the handler never saw it, after a delivery.
        case expiredAfterDelivery
        /// There is an action after an event that gives no reason for it.
        case unasked
    }

    let isQueued: Bool
    private var hasBegun: Bool
    private var hasEnded = false
    private var isWithHandler = false
    private var isLeaving = false
    private var isWritten = false
    private var isCalledOff = false
    private var isCutOff = false
    private var mayHaveBeenSeen: Bool
    private var sentAttempt: UInt32
    private(set) var delivery: UInt64 = 0
    private var (crashes, aloneCrashes, handBacks, cuts) = (0, 0, 0, 0)
    static let crashesPerRequest: UInt32 = 2

    init(of life: RequestLife) {
        isQueued = life.isQueued
        hasBegun = life.isAccepted
        sentAttempt = life.attempts
        mayHaveBeenSeen = life.attempts > 0
    }

    /// The number of the next attempt. It may already be stored while the request still waits to be sent.
    var nextAttempt: UInt32 { sentAttempt + 1 }

    /// - Returns: the promise that the ``RequestLife`` breaks by these actions after this event; `nil` if none.
    mutating func judge(_ event: RequestLife.Event, _ actions: [RequestLife.Action]) -> Violation? {
        if hasEnded { return actions.isEmpty ? nil : .secondEnd }
        if isStale(event) { return actions.isEmpty ? nil : .staleEvent }
        let wasWithHandler = isWithHandler
        note(event)
        if let wrong = wrongAnswer(to: event, actions, wasWithHandler) { return wrong }
        for (index, action) in actions.enumerated() {
            if let wrong = judge(action, after: event, actions[..<index]) { return wrong }
        }
        return nil
    }

    private func isStale(_ event: RequestLife.Event) -> Bool {
        switch event {
        case .answered(let number, _), .handedBack(let number), .reachedNobody(let number), .cutOff(let number):
            !isWithHandler || number != delivery
        default: false
        }
    }

    private mutating func note(_ event: RequestLife.Event) {
        switch event {
        case .turn: isLeaving = hasBegun && !isWithHandler
        case .prepared: isWritten = isWritten || isLeaving
        case .calledOff: isCalledOff = isCalledOff || isLeaving || isWithHandler
        case .handedBack: handBacks += 1
        case .cutOff: isCutOff = true
        case .stillThere: if isWithHandler, isCutOff { cuts += 1 }
        case .handlerCrashed(let isAlone, _):
            guard isWithHandler else { return }
            crashes += 1
            if isAlone { aloneCrashes += 1 }
        default: break
        }
    }

    /// Judges whether an event has its required effect.
    private func wrongAnswer(
        to event: RequestLife.Event, _ actions: [RequestLife.Action], _ wasWithHandler: Bool
    ) -> Violation? {
        guard case .handlerCrashed = event, wasWithHandler else { return nil }
        let end: RequestEnd?? = actions.lazy.compactMap { if case .end(let end) = $0 { end } else { nil } }.first
        if !isQueued { return end == nil ? .senderNotTold : nil }
        let isParked = end.flatMap { $0 }?.failure.code == "parked"
        guard isParked == (aloneCrashes >= Self.crashesPerRequest) else { return .wrongParking }
        return end != nil && !isParked && !isCalledOff ? .wrongParking : nil
    }

    private mutating func judge(
        _ action: RequestLife.Action, after event: RequestLife.Event, _ earlier: ArraySlice<RequestLife.Action>
    ) -> Violation? {
        switch action {
        case .makeReady:
            guard event == .stored, !hasBegun else { return .unasked }
            hasBegun = true
        case .prepare: return hasBegun && isQueued && event == .turn ? nil : .unasked
        case .send: return judgeSending(event)
        case .putBack(let isSuspect, let isBackedOff):
            return judgePuttingBack(isSuspect, isBackedOff, event, earlier)
        case .writeCrash(let isAlone):
            return event == .handlerCrashed(isAlone: isAlone, limit: Self.crashesPerRequest) ? nil : .unasked
        case .noteFailure(.handedBack): return handBacks > 1 ? nil : .wrongPause
        case .noteFailure(.cutConnection): return cuts > 1 ? nil : .wrongPause
        case .askToCancel: return isWithHandler && isCalledOff ? nil : .unasked
        case .giveUp(let number, let isCutOff):
            return isWithHandler && number == delivery && isCutOff == self.isCutOff ? nil : .unasked
        case .end(let end): return judgeEnd(end, event)
        }
        return nil
    }

    private mutating func judgeSending(_ event: RequestLife.Event) -> Violation? {
        guard case .leaves(let number) = event else { return .unasked }
        guard hasBegun else { return .beforeBeginning }
        guard !isWithHandler else { return .sentTwice }
        guard !isCalledOff else { return .sentAfterCallOff }
        guard !isQueued || isWritten else { return .unwrittenAttempt }
        (isWithHandler, isLeaving, isWritten, isCutOff, delivery) = (true, false, false, false, number)
        return nil
    }

    private mutating func judgePuttingBack(
        _ isSuspect: Bool, _ isBackedOff: Bool, _ event: RequestLife.Event, _ earlier: ArraySlice<RequestLife.Action>
    ) -> Violation? {
        guard isWithHandler || isLeaving else { return .unasked }
        guard !isCalledOff else { return .sentAfterCallOff }
        guard isBackedOff == (crashes > 0 || handBacks > 1 || cuts > 1) else { return .wrongPause }
        if case .handlerCrashed(let isAlone, _) = event {
            guard isSuspect, earlier.contains(.writeCrash(isAlone: isAlone)) else { return .unwrittenCrash }
        } else if isSuspect {
            return .unwrittenCrash
        }
        (isWithHandler, isLeaving, isWritten) = (false, false, false)
        return nil
    }

    private mutating func judgeEnd(_ end: RequestEnd?, _ event: RequestLife.Event) -> Violation? {
        hasEnded = true
        guard let end else { return event == .abandoned ? nil : .unasked }
        guard hasBegun || event == .stored else { return .beforeBeginning }
        if end.failure.code == "parked", aloneCrashes < Self.crashesPerRequest { return .wrongParking }
        if end.outcome == .expired, crashes > 0 || cuts > 0 || mayHaveBeenSeen { return .expiredAfterDelivery }
        return nil
    }

    /// Compares the number of a delivery with that of the previous delivery.
    mutating func judgeAttempt(of life: RequestLife, after actions: [RequestLife.Action]) -> Violation? {
        guard actions.contains(.send) else { return nil }
        defer { sentAttempt = max(sentAttempt, life.attempts) }
        return life.attempts > sentAttempt ? nil : .sameAttempt
    }
}
