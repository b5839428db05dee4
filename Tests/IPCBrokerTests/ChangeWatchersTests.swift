import IPCDBus
import IPCInterface
import IPCModel
import Testing

@testable import IPCBroker
@testable import IPCStore

@DBusActor
struct ChangeWatchersTests {
    private static let far = ContinuousClock.now + .seconds(3_600)

    private func watchers(
        _ limits: Limits = Limits(), sees: [BusName: PasteboardVisibility] = [:]
    ) -> ChangeWatchers {
        ChangeWatchers(limits: limits, visibility: { $0.flatMap { sees[$0] } ?? .whole }, hasDeparted: { _ in false })
    }

    private func move(_ name: String, _ count: UInt64, removed: Bool = false) throws -> PasteboardMove {
        PasteboardMove(
            name: try PasteboardName(name), changeCount: count,
            state: removed ? nil : .init(isPersistent: false, historyLimit: 1))
    }

    /// Makes a call that waits for changes; when this returns, the call is registered.
    private func ask(
        _ watchers: ChangeWatchers, _ names: [String], since: UInt64 = 0, by caller: BusName? = nil,
        until deadline: ContinuousClock.Instant = far
    ) throws -> Task<ChangeWatchers.Answer, any Error> {
        let names = Set(try names.map { try PasteboardName($0) })
        return Task.immediate { @DBusActor in
            try await watchers.answer(for: names, since: since, until: deadline, by: caller) { nil }
        }
    }

    @Test func aCallerGetsExactlyItsLimit() async throws {
        var limits = Limits()
        try limits.set("watchers-per-caller", 3)
        try limits.set("watchers", 5)
        let watchers = watchers(limits)
        let (one, other, third) = (BusName(":1.1"), BusName(":1.2"), BusName(":1.3"))
        var open = try (0..<3).map { _ in try ask(watchers, ["a"], by: one) }
        await #expect(throws: LimitExceeded(limit: "watchers-per-caller", use: 3, request: 1, allowed: 3)) {
            try await ask(watchers, ["a"], by: one).value
        }
        open += try (0..<2).map { _ in try ask(watchers, ["a"], by: other) }
        await #expect(throws: LimitExceeded(limit: "watchers", use: 5, request: 1, allowed: 5)) {
            try await ask(watchers, ["a"], by: third).value
        }
        #expect(watchers.count == 5)
        // When a caller leaves, its waiting calls no longer count.
        watchers.callerLeft(one)
        #expect(watchers.count == 2)
        for task in open.prefix(3) { #expect(try await task.value.1.isEmpty) }
        open.append(try ask(watchers, ["a"], by: one))
        #expect(watchers.count == 3)
        watchers.endAll()
        for task in open { _ = try await task.value }
        #expect(watchers.count == 0)
    }

    @Test func aWatcherGetsOnlyItsOwnChanges() async throws {
        let watchers = watchers()
        let a = try ask(watchers, ["a"])
        let both = try ask(watchers, ["a", "b"])
        let all = try ask(watchers, [])
        let none = try ask(watchers, ["c"])
        let late = try ask(watchers, ["a"], since: 5)
        watchers.changed([try move("a", 3), try move("b", 4), try move("a", 5, removed: true)])
        #expect(try await a.value.1 == [ChangedPasteboard(name: "a", changeCount: 0)])
        let rows = [ChangedPasteboard(name: "a", changeCount: 0), ChangedPasteboard(name: "b", changeCount: 4)]
        #expect(try await both.value.1 == rows)
        #expect(try await all.value.1 == rows)
        #expect(try await all.value.0 == 5)
        #expect(watchers.count == 2)
        watchers.endAll()
        #expect(try await none.value.1.isEmpty)
        #expect(try await late.value.1.isEmpty)
        #expect(try await late.value.0 == 5)
    }

    @Test func aSandboxedWatcherOfAllGetsOnlyItsOwnChanges() async throws {
        let (free, boxed, hidden) = (BusName(":1.1"), BusName(":1.2"), BusName(":1.3"))
        let watchers = watchers(sees: [boxed: .sandbox("org.example.App"), hidden: .sandbox(nil)])
        let every = try ask(watchers, [], by: free)
        let own = try ask(watchers, [], by: boxed)
        let nothing = try ask(watchers, [], by: hidden)
        watchers.changed([try move("general", 3), try move("org.example.Application", 4)])
        // Negative control: an unsandboxed caller is notified of the same changes.
        #expect(try await every.value.1.map(\.name) == ["general", "org.example.Application"])
        #expect(watchers.count == 2)
        watchers.changed([try move("general", 5), try move("org.example.App.x", 6)])
        #expect(try await own.value.1 == [ChangedPasteboard(name: "org.example.App.x", changeCount: 6)])
        #expect(watchers.count == 1)
        watchers.endAll()
        #expect(try await nothing.value.1.isEmpty)
    }

    @Test func theSameAppliesToPastChanges() async throws {
        let boxed = BusName(":1.2")
        let watchers = watchers(sees: [boxed: .sandbox("org.example.App")])
        func ask(_ names: [String], resync: Bool? = nil) async throws -> ChangeWatchers.Answer {
            try await watchers.answer(for: [], since: 1, until: .now, by: boxed) {
                var facts = ChangeFacts()
                facts.resync = resync
                return (9, names.map { ChangedPasteboard(name: $0, changeCount: 2) }, facts)
            }
        }
        #expect(try await ask(["general", "org.example.App"]).1.map(\.name) == ["org.example.App"])
        let none = try await ask(["general"])
        #expect(none.0 == 1 && none.1.isEmpty)
        let again = try await ask(["general"], resync: true)
        #expect(again.0 == 9 && again.1.isEmpty && again.2.resync == true)
        #expect(watchers.count == 0)
    }

    @Test func aDeadlineEndsItsWatches() async throws {
        let watchers = watchers()
        let now = ContinuousClock.now
        let soon = try (0..<1_000).map { try ask(watchers, ["a"], since: 7, until: now + .milliseconds(1 + $0 % 50)) }
        let later = try ask(watchers, ["a"])
        for task in soon {
            let answer = try await task.value
            #expect(answer.0 == 7 && answer.1.isEmpty)
        }
        #expect(watchers.count == 1)
        watchers.changed([try move("a", 8)])
        #expect(try await later.value.0 == 8)
        // A call whose deadline is now is answered without waiting.
        #expect(try await ask(watchers, ["a"], since: 9, until: now).value.0 == 9)
    }

    /// The shortest of four measured times for reporting 50 changes of the board “moving” while `count` calls wait for
    /// changes of the boards in `watched`.
    private func cost(_ count: Int, of watched: (Int) -> [String]) async throws -> Duration {
        var limits = Limits()
        try limits.set("watchers-per-caller", 20_000)
        try limits.set("watchers", 20_000)
        let watchers = watchers(limits)
        let tasks = try (0..<count).map { try ask(watchers, watched($0), since: 1_000_000) }
        let moves = try (0..<50).map { try move("moving", UInt64($0 + 1)) }
        let times = (0..<4).map { _ in
            ContinuousClock().measure { for move in moves { watchers.changed([move]) } }
        }
        #expect(watchers.count == count)
        watchers.endAll()
        for task in tasks { _ = try await task.value }
        return times.min()!
    }

    @Test(arguments: [1_000, 10_000])
    func theCostOfAChangeDependsOnlyOnTheWatchersConcerned(count: Int) async throws {
        let few = try await cost(10) { ["board \($0)"] }
        let many = try await cost(count) { ["board \($0)"] }
        #expect(many < few * 20, "\(few) with 10, \(many) with \(count) that watch other boards")
        // Negative control: each call that waits for this board is examined, which takes time.
        let concerned = try await cost(count) { _ in ["moving"] }
        #expect(concerned > few * 20, "\(few) with 10, \(concerned) with \(count) that watch this board")
    }
}

extension ChangeWatchers {
    /// Makes a call that waits for changes, and returns its answer.
    fileprivate func answer(
        for names: Set<PasteboardName>, since: UInt64, until deadline: ContinuousClock.Instant, by caller: BusName?,
        past: () -> Answer?
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            wait(for: names, since: since, until: deadline, by: caller) { told in
                told(.success(past()))
            } then: {
                continuation.resume(with: $0)
            }
        }
    }
}
