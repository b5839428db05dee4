internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// Those who wait for a change of a pasteboard.
///
/// A question is answered once and costs nothing while nothing happens; who stops asking costs nobody anything.
@DBusActor
final class ChangeWatchers {
    typealias Answer = (UInt64, [ChangedPasteboard], ChangeFacts)
    private final class Watcher {
        let names: Set<PasteboardName>
        let caller: BusName?
        let deadline: ContinuousClock.Instant
        let since: UInt64
        /// What came before anybody waited for it.
        var answer: Answer?
        var continuation: CheckedContinuation<Answer, Never>?

        init(
            _ names: Set<PasteboardName>, since: UInt64, until deadline: ContinuousClock.Instant, by caller: BusName?
        ) {
            (self.names, self.since, self.deadline, self.caller) = (names, since, deadline, caller)
        }
    }

    private var watchers: [UInt64: Watcher] = [:]
    private var byName: [PasteboardName: Set<UInt64>] = [:]
    private var ofAll: Set<UInt64> = []
    private var byCaller: [BusName: Set<UInt64>] = [:]
    private var last: UInt64 = 0
    private let timer = DBusTimer()
    private let limits: Limits
    private var isEnding = false

    private let hasDeparted: @DBusActor (BusName?) -> Bool

    /// - Parameter hasDeparted: whether a caller has left the bus.
    init(limits: Limits, hasDeparted: @escaping @DBusActor (BusName?) -> Bool) {
        (self.limits, self.hasDeparted) = (limits, hasDeparted)
    }

    var count: Int { watchers.count }

    /// Tells what has changed after `since`, or waits for the next change of one of `names`, or of any pasteboard; an
    /// empty list when the time is over or the caller is gone.
    ///
    /// It watches before it asks for what is past, so that nothing falls between, neither a change nor the caller's end.
    /// - Parameter past: what has changed already; `nil` if nothing has.
    func wait(
        for names: Set<PasteboardName>, since: UInt64, until deadline: ContinuousClock.Instant, by caller: BusName?,
        past: @DBusActor () async throws -> Answer?
    ) async throws -> Answer {
        try limits.check(\.watchers, use: UInt64(watchers.count), request: 1)
        let watcher = Watcher(names, since: since, until: deadline, by: caller)
        let number = add(watcher)
        do {
            if let past = try await past() {
                remove(number)
                return past
            }
        } catch {
            remove(number)
            throw error
        }
        if let answer = watcher.answer { return answer }
        guard !isEnding, !hasDeparted(caller) else {
            remove(number)
            return (since, [], ChangeFacts())
        }
        if timer.deadline.map({ deadline < $0 }) ?? true { arm(deadline) }
        return await withCheckedContinuation { continuation in
            // The way here may have been a suspension of its own.
            if let answer = watcher.answer {
                continuation.resume(returning: answer)
            } else {
                watcher.continuation = continuation
            }
        }
    }

    /// Nobody reads the answers to a connection that is gone, and its places are free again.
    func callerLeft(_ caller: BusName) {
        for number in byCaller[caller] ?? [] { answer(number, (watchers[number]?.since ?? 0, [], ChangeFacts())) }
    }

    /// Answers who waits for these pasteboards; a removal is told with the count 0.
    func changed(_ moves: [PasteboardMove]) {
        guard !watchers.isEmpty, let newest = moves.map(\.changeCount).max() else { return }
        var concerned = ofAll
        for move in moves { concerned.formUnion(byName[move.name] ?? []) }
        for number in concerned {
            guard let watcher = watchers[number] else { continue }
            var latest: [PasteboardName: UInt64] = [:]
            for move in moves
            where move.changeCount > watcher.since && (watcher.names.isEmpty || watcher.names.contains(move.name)) {
                latest[move.name] = move.state == nil ? 0 : move.changeCount
            }
            // What its own question has already told it moves nothing.
            if latest.isEmpty { continue }
            let rows = latest.sorted { $0.key < $1.key }.map {
                ChangedPasteboard(name: $0.key.text, changeCount: $0.value)
            }
            answer(number, (newest, rows, ChangeFacts()))
        }
    }

    /// Lets everybody go, because the broker ends.
    func endAll() {
        isEnding = true
        for (number, watcher) in watchers { answer(number, (watcher.since, [], ChangeFacts())) }
    }

    private func answer(_ number: UInt64, _ answer: Answer) {
        guard let watcher = remove(number) else { return }
        watcher.answer = answer
        watcher.continuation?.resume(returning: answer)
        watcher.continuation = nil
    }

    private func add(_ watcher: Watcher) -> UInt64 {
        last += 1
        watchers[last] = watcher
        if watcher.names.isEmpty { ofAll.insert(last) }
        for name in watcher.names { byName[name, default: []].insert(last) }
        if let caller = watcher.caller { byCaller[caller, default: []].insert(last) }
        return last
    }

    @discardableResult
    private func remove(_ number: UInt64) -> Watcher? {
        guard let watcher = watchers.removeValue(forKey: number) else { return nil }
        ofAll.remove(number)
        for name in watcher.names {
            byName[name]?.remove(number)
            if byName[name]?.isEmpty == true { byName[name] = nil }
        }
        if let caller = watcher.caller {
            byCaller[caller]?.remove(number)
            if byCaller[caller]?.isEmpty == true { byCaller[caller] = nil }
        }
        return watcher
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        timer.set(at: deadline) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        for (number, watcher) in watchers where watcher.deadline <= now {
            answer(number, (watcher.since, [], ChangeFacts()))
        }
        if let next = watchers.values.map(\.deadline).min() { arm(next) }
    }
}
