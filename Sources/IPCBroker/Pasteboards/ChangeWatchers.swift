internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCQueues
internal import IPCStore

/// The calls that are waiting for a pasteboard to change. Each is answered once, and costs no work until then.
@DBusActor
final class ChangeWatchers {
    typealias Answer = (UInt64, [ChangedPasteboard], ChangeFacts)
    private final class Watcher: Deadlined {
        /// The watched pasteboards; empty if the call watches all that the caller may see.
        let names: Set<PasteboardName>
        let caller: BusName?
        let since: UInt64
        /// The answer, if it was found before ``receiver`` was set.
        var answer: Answer?
        var receiver: DelayedAnswer<Answer>?
        var number: UInt64 = 0
        var deadlineIndex = -1

        init(_ names: Set<PasteboardName>, since: UInt64, by caller: BusName?) {
            (self.names, self.since, self.caller) = (names, since, caller)
        }
    }

    private var watchers: [UInt64: Watcher] = [:]
    private var byName: [PasteboardName: Set<UInt64>] = [:]
    private var ofAll: Set<UInt64> = []
    private var byCaller: [BusName: Set<UInt64>] = [:]
    private var last: UInt64 = 0
    private let deadlines = Deadlines<Watcher>()
    private let limits: Limits
    private var isEnding = false

    private let visibility: @DBusActor (BusName?) -> PasteboardVisibility
    private let hasDeparted: @DBusActor (BusName?) -> Bool

    /// - Parameter visibility: the pasteboards that a caller may see now; used for calls that watch all pasteboards.
    init(
        limits: Limits, visibility: @escaping @DBusActor (BusName?) -> PasteboardVisibility,
        hasDeparted: @escaping @DBusActor (BusName?) -> Bool
    ) {
        (self.limits, self.visibility, self.hasDeparted) = (limits, visibility, hasDeparted)
        deadlines.passed = { [weak self] watcher, _ in
            self?.answer(watcher.number, (watcher.since, [], ChangeFacts()))
        }
    }

    var count: Int { watchers.count }

    /// Reports the changes after `since`. If there are none, waits for the next change of one of `names` (if empty, of
    /// any pasteboard that the caller may see). If the time expires or the caller leaves, the answer is an empty list.
    /// The watch starts before the query for earlier changes, so that no change and no departure is missed.
    /// - Parameters:
    ///   - past: reports the earlier changes once; `nil` if there are none.
    ///   - answer: runs once. Fails with `LimitExceeded` (`watchers`, `watchers-per-caller`) or the error of `past`.
    func wait(
        for names: Set<PasteboardName>, since: UInt64, until deadline: ContinuousClock.Instant, by caller: BusName?,
        past: @DBusActor (@escaping DelayedAnswer<Answer?>) -> Void, then answer: @escaping DelayedAnswer<Answer>
    ) {
        do {
            let ofCaller = caller.flatMap { byCaller[$0]?.count } ?? 0
            try limits.check(\.watchersPerCaller, use: UInt64(ofCaller), request: 1)
            try limits.check(\.watchers, use: UInt64(watchers.count), request: 1)
        } catch { return answer(.failure(error)) }
        let watcher = Watcher(names, since: since, by: caller)
        add(watcher)
        past { result in
            do {
                guard let past = self.visible(try result.get(), to: watcher) else {
                    return self.stay(watcher, until: deadline, answer)
                }
                self.remove(watcher.number)
                answer(.success(past))
            } catch {
                self.remove(watcher.number)
                answer(.failure(error))
            }
        }
    }

    /// Starts to wait, unless the answer was found in the meantime or the call must not wait.
    private func stay(
        _ watcher: Watcher, until deadline: ContinuousClock.Instant,
        _ answer: @escaping DelayedAnswer<Answer>
    ) {
        if let early = watcher.answer { return answer(.success(early)) }
        guard !isEnding, !hasDeparted(watcher.caller), deadline > .now else {
            remove(watcher.number)
            return answer(.success((watcher.since, [], ChangeFacts())))
        }
        watcher.receiver = answer
        deadlines.insert(watcher, at: deadline)
    }

    /// The part of an answer that the caller may see, if any. Pasteboards named by the call are already checked.
    private func visible(_ answer: Answer?, to watcher: Watcher) -> Answer? {
        guard let answer, watcher.names.isEmpty else { return answer }
        let visibility = visibility(watcher.caller)
        guard !visibility.isWhole else { return answer }
        let rows = answer.1.filter { row in (try? PasteboardName(row.name)).map(visibility.allows) ?? false }
        return rows.isEmpty && answer.2.resync != true ? nil : (answer.0, rows, answer.2)
    }

    func callerLeft(_ caller: BusName) {
        Slices.forEach((byCaller[caller] ?? []).sorted()) { number in
            self.answer(number, (self.watchers[number]?.since ?? 0, [], ChangeFacts()))
        }
    }

    /// Answers only the calls that wait for these pasteboards. A removed pasteboard is reported with change count 0.
    func changed(_ moves: [PasteboardMove]) {
        guard !watchers.isEmpty, let newest = moves.map(\.changeCount).max() else { return }
        var latest: [PasteboardName: PasteboardMove] = [:]
        for move in moves where latest[move.name].map({ $0.changeCount < move.changeCount }) ?? true {
            latest[move.name] = move
        }
        let sorted = latest.values.sorted { $0.name < $1.name }
        var ofNumber: [UInt64: [PasteboardMove]] = [:]
        for move in sorted { for number in byName[move.name] ?? [] { ofNumber[number, default: []].append(move) } }
        for (number, moves) in ofNumber { report(number, moves, newest) }
        guard !ofAll.isEmpty else { return }
        for number in ofAll {
            guard let watcher = watchers[number] else { continue }
            let visibility = visibility(watcher.caller)
            report(number, visibility.isWhole ? sorted : sorted.filter { visibility.allows($0.name) }, newest)
        }
    }

    private func report(_ number: UInt64, _ moves: [PasteboardMove], _ newest: UInt64) {
        guard let since = watchers[number]?.since else { return }
        // Changes up to `since` are not new to the caller.
        let rows = moves.filter { $0.changeCount > since }.map {
            ChangedPasteboard(name: $0.name.text, changeCount: $0.state == nil ? 0 : $0.changeCount)
        }
        if !rows.isEmpty { answer(number, (newest, rows, ChangeFacts())) }
    }

    /// Answers all calls, because the broker is about to stop.
    func endAll() {
        isEnding = true
        for (number, watcher) in watchers { answer(number, (watcher.since, [], ChangeFacts())) }
    }

    private func answer(_ number: UInt64, _ answer: Answer) {
        guard let watcher = remove(number) else { return }
        watcher.answer = answer
        watcher.receiver?(.success(answer))
        watcher.receiver = nil
    }

    private func add(_ watcher: Watcher) {
        last += 1
        watcher.number = last
        watchers[last] = watcher
        if watcher.names.isEmpty { ofAll.insert(last) }
        for name in watcher.names { byName[name, default: []].insert(last) }
        if let caller = watcher.caller { byCaller[caller, default: []].insert(last) }
    }

    @discardableResult
    private func remove(_ number: UInt64) -> Watcher? {
        guard let watcher = watchers.removeValue(forKey: number) else { return nil }
        deadlines.remove(watcher)
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
}
