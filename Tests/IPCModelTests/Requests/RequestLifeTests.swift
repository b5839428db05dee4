import IPCTesting
import Testing

@testable import IPCModel

@Suite("RequestLife")
struct RequestLifeTests {
    /// A state machine with one deliberate defect.
    struct Machine: Hashable {
        enum Defect: String, CaseIterable, CustomTestStringConvertible {
            case endsAgain, sendsBeforeBeginning, keepsItsAttempt, skipsTheWriting, sendsAgainInHand
            case forgetsTheCallOff, takesStaleAnswers, keepsTheSenderWaiting, parksLate, parksEarly
            case writesNoCrash, neverPauses, alwaysPauses, saysExpiredAfterCrash

            var testDescription: String { rawValue }

            /// The violations by which the watcher may notice the defect.
            var violations: Set<LifeWatcher.Violation> {
                switch self {
                case .endsAgain: [.secondEnd]
                case .sendsBeforeBeginning: [.beforeBeginning]
                case .keepsItsAttempt: [.sameAttempt]
                case .skipsTheWriting: [.unwrittenAttempt]
                case .sendsAgainInHand: [.sentTwice]
                case .forgetsTheCallOff: [.sentAfterCallOff]
                case .takesStaleAnswers: [.staleEvent]
                case .keepsTheSenderWaiting: [.senderNotTold]
                case .parksLate, .parksEarly: [.wrongParking]
                case .writesNoCrash: [.unwrittenCrash]
                case .neverPauses, .alwaysPauses: [.wrongPause]
                case .saysExpiredAfterCrash: [.expiredAfterDelivery]
                }
            }
        }

        var life: RequestLife
        var defect: Defect?
        private var wasEnded = false
        private var firstAttempt: UInt32?

        init(_ life: RequestLife, _ defect: Defect? = nil) { (self.life, self.defect) = (life, defect) }

        /// The ``RequestLife`` as the watcher sees it. With one of the defects, the attempt number never increases.
        var shown: RequestLife {
            guard defect == .keepsItsAttempt, let firstAttempt, life.attempts > firstAttempt else { return life }
            return RequestLife(recovered: life.isQueued, attempts: firstAttempt, crashes: 0)
        }

        mutating func handle(_ event: RequestLife.Event) -> [RequestLife.Action] {
            let before = life
            var event = event
            switch (defect, event) {
            case (.forgetsTheCallOff, .calledOff) where before.isLeaving || before.isDelivered: return []
            case (.takesStaleAnswers, .answered(_, let end)):
                if let delivery = life.delivery { event = .answered(delivery: delivery, end) }
            case (.skipsTheWriting, .turn):
                _ = life.handle(.turn)
                return life.handle(.prepared(attempt: life.attempts + 1)) + (life.isQueued ? [.prepare] : [])
            case (.parksEarly, .handlerCrashed(let isAlone, _)): event = .handlerCrashed(isAlone: isAlone, limit: 1)
            case (.parksLate, .handlerCrashed(let isAlone, _)): event = .handlerCrashed(isAlone: isAlone, limit: 3)
            case (.keepsTheSenderWaiting, .handlerCrashed) where !life.isQueued: return []
            case (.sendsBeforeBeginning, .leaves) where !life.isAccepted && !life.hasEnded: return [.send]
            case (.sendsAgainInHand, .leaves) where life.isDelivered: return [.send]
            default: break
            }
            let actions = life.handle(event)
            defer { if actions.contains(.send), firstAttempt == nil { firstAttempt = life.attempts } }
            if defect == .endsAgain, before.hasEnded, event == .timePassed(isHandlerStarting: false) {
                return [.end(.expired)]
            }
            return actions.compactMap(changed)
        }

        private func changed(_ action: RequestLife.Action) -> RequestLife.Action? {
            switch (defect, action) {
            case (.writesNoCrash, .writeCrash): nil
            case (.neverPauses, .putBack(let isSuspect, true)): .putBack(isSuspect: isSuspect, isBackedOff: false)
            case (.alwaysPauses, .putBack(let isSuspect, false)): .putBack(isSuspect: isSuspect, isBackedOff: true)
            case (.saysExpiredAfterCrash, .end(let end?)) where end.failure.code == "handler-ended":
                .end(.expired)
            default: action
            }
        }
    }

    /// The initial state of every kind of request.
    private static var beginnings: [RequestLife] {
        var repeated = RequestLife(isQueued: false)
        repeated.continues(after: 1)
        return [
            RequestLife(isQueued: true), RequestLife(isQueued: false), repeated,
            RequestLife(recovered: true, attempts: 0, crashes: 0),
            RequestLife(recovered: true, attempts: 2, crashes: 0),
            RequestLife(recovered: false, attempts: 0, crashes: 0),
        ]
    }

    /// All events that may happen next.
    private static func events(_ watcher: LifeWatcher) -> [RequestLife.Event] {
        let (delivery, end) = (watcher.delivery, RequestEnd(.handled))
        return [
            .stored, .withdrawn, .turn, .prepared(attempt: watcher.nextAttempt), .turnedBack,
            .leaves(delivery: delivery + 1), .answered(delivery: delivery, end), .answered(delivery: delivery + 7, end),
            .handedBack(delivery: delivery), .handedBack(delivery: delivery + 7), .reachedNobody(delivery: delivery),
            .cutOff(delivery: delivery), .stillThere,
            .handlerCrashed(isAlone: true, limit: LifeWatcher.crashesPerRequest),
            .handlerCrashed(isAlone: false, limit: LifeWatcher.crashesPerRequest),
            .calledOff(.calledOff), .undeliverable(RequestEnd(.unavailable)), .timePassed(isHandlerStarting: false),
            .abandoned,
        ]
    }

    private struct Search {
        private(set) var steps = 0
        private(set) var found: (violation: LifeWatcher.Violation, path: [RequestLife.Event])?
        private var path: [RequestLife.Event] = []

        /// Tries all sequences of events. A sequence is not continued after an event that changes nothing, because the
        /// same sequences are tried without that event.
        mutating func go(_ machine: Machine, _ watcher: LifeWatcher, depth: Int) {
            for event in RequestLifeTests.events(watcher) where found == nil {
                var (next, nextWatcher) = (machine, watcher)
                steps += 1
                path.append(event)
                if let violation = RequestLifeTests.step(&next, &nextWatcher, event) {
                    found = (violation, path)
                } else if depth > 1, next != machine || nextWatcher != watcher {
                    go(next, nextWatcher, depth: depth - 1)
                }
                path.removeLast()
            }
        }
    }

    private static func step(
        _ machine: inout Machine, _ watcher: inout LifeWatcher, _ event: RequestLife.Event
    ) -> LifeWatcher.Violation? {
        let actions = machine.handle(event)
        return watcher.judge(event, actions) ?? watcher.judgeAttempt(of: machine.shown, after: actions)
    }

    @Test func `I1, I6 to I8: all sequences of events keep the promises`() async {
        var steps = 0
        for life in Self.beginnings {
            let search = await onOwnThread {
                var search = Search()
                search.go(Machine(life), LifeWatcher(of: life), depth: TestSize.pick(small: 14, full: 17))
                return search
            }
            steps += search.steps
            #expect(search.found == nil, "\(life): \(String(describing: search.found))")
        }
        print("RequestLife: \(steps) steps of all sequences")
        #expect(steps > 1_000_000)
    }

    @Test func `I1, I6 to I8: long random sequences keep the promises`() async {
        let violation: String? = await onOwnThread {
            var generator = SeededGenerator.forTest("RequestLife")
            for run in 0..<TestSize.pick(small: 20_000, full: 400_000) {
                let life = Self.beginnings[Int.random(in: 0..<Self.beginnings.count, using: &generator)]
                if let found = Self.randomRun(Machine(life), 200, &generator) {
                    return "seed \(generator.seed), run \(run): \(found)"
                }
            }
            return nil
        }
        #expect(violation == nil)
    }

    private static func randomRun(
        _ machine: Machine, _ count: Int, _ generator: inout SeededGenerator
    ) -> (LifeWatcher.Violation, [RequestLife.Event])? {
        var (machine, watcher, path) = (machine, LifeWatcher(of: machine.life), [RequestLife.Event]())
        for _ in 0..<count {
            let events = events(watcher)
            var event = events[Int.random(in: 0..<events.count, using: &generator)]
            // Most events that may end the request are replaced, so that the request lives for many events.
            if mayEnd(event), Int.random(in: 0..<20, using: &generator) > 0 { event = .turn }
            path.append(event)
            if let violation = step(&machine, &watcher, event) { return (violation, path) }
            if machine.life.hasEnded { return nil }
        }
        return nil
    }

    private static func mayEnd(_ event: RequestLife.Event) -> Bool {
        switch event {
        case .withdrawn, .answered, .calledOff, .undeliverable, .timePassed, .abandoned: true
        case .handlerCrashed(let isAlone, _): isAlone
        default: false
        }
    }

    @Test(arguments: Machine.Defect.allCases)
    func `a machine with a defect is found`(_ defect: Machine.Defect) {
        var found: Set<LifeWatcher.Violation> = []
        for life in Self.beginnings {
            var search = Search()
            search.go(Machine(life, defect), LifeWatcher(of: life), depth: 9)
            if let violation = search.found?.violation { found.insert(violation) }
        }
        #expect(!found.isDisjoint(with: defect.violations), "\(found)")
    }

    @Test func `a request that ends on arrival ends when it is stored`() {
        var life = RequestLife(isQueued: true)
        #expect(life.handle(.calledOff(.calledOff)) == [])
        #expect(life.handle(.timePassed(isHandlerStarting: false)) == [])
        #expect(life.handle(.stored) == [.end(RequestEnd(.calledOff, attempts: 0))])
        #expect(life.hasEnded)
    }

    @Test func `the outcome reflects what is known about the handler`() {
        func expired(_ events: [RequestLife.Event]) -> RequestEnd? {
            var life = RequestLife(recovered: true, attempts: 0, crashes: 0)
            for event in events { _ = life.handle(event) }
            if case .end(let end?) = life.handle(.timePassed(isHandlerStarting: false)).last { return end }
            return nil
        }
        let sent: [RequestLife.Event] = [.turn, .prepared(attempt: 1), .leaves(delivery: 1)]
        #expect(expired([])?.outcome == .expired)
        #expect(expired(sent)?.outcome == .timedOut)
        #expect(
            expired(sent + [.handlerCrashed(isAlone: false, limit: 3)])?.failure.code == "handler-ended")
        #expect(expired(sent + [.cutOff(delivery: 1), .stillThere])?.outcome == .timedOut)
        #expect(expired(sent + [.handedBack(delivery: 1)])?.outcome == .expired)
    }
}

extension RequestEnd {
    /// Copies an end, with a different number of attempts.
    fileprivate init(_ end: RequestEnd, attempts: UInt32) {
        self = end
        self.attempts = attempts
    }
}
