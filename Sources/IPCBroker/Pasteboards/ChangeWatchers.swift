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
    private final class Watcher: Deadlined {
        /// Empty: all that the caller sees.
        let names: Set<PasteboardName>
        let caller: BusName?
        let since: UInt64
        /// What came before anybody waited for it.
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
    private var deadlines = DeadlineQueue<Watcher>()
    private let timer = DBusTimer()
    private let limits: Limits
    private var isEnding = false

    private let visibility: @DBusActor (BusName?) -> PasteboardVisibility
    private let hasDeparted: @DBusActor (BusName?) -> Bool

    /// - Parameters:
    ///   - visibility: what a caller sees now; for those who watch all pasteboards.
    ///   - hasDeparted: whether a caller has left the bus.
    init(
        limits: Limits, visibility: @escaping @DBusActor (BusName?) -> PasteboardVisibility,
        hasDeparted: @escaping @DBusActor (BusName?) -> Bool
    ) {
        (self.limits, self.visibility, self.hasDeparted) = (limits, visibility, hasDeparted)
    }

    var count: Int { watchers.count }

    /// Tells what has changed after `since`, or waits for the next change of one of `names`, or of any pasteboard that
    /// the caller sees; an empty list when the time is over or the caller is gone. Who waits costs no task.
    ///
    /// It watches before it asks for what is past, so that nothing falls between, neither a change nor the caller's end.
    /// - Parameters:
    ///   - past: asks what has changed already, and tells it once; `nil` if nothing has.
    ///   - answer: gets the answer, once. An error is `LimitExceeded` for `watchers` or `watchers-per-caller`, or what
    ///     `past` tells.
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
        let number = add(watcher)
        past { result in
            do {
                guard let past = self.visible(try result.get(), to: watcher) else {
                    return self.stay(watcher, number, until: deadline, answer)
                }
                self.remove(number)
                answer(.success(past))
            } catch {
                self.remove(number)
                answer(.failure(error))
            }
        }
    }

    /// Waits, unless the answer has come meanwhile or none is to be waited for.
    private func stay(
        _ watcher: Watcher, _ number: UInt64, until deadline: ContinuousClock.Instant,
        _ answer: @escaping DelayedAnswer<Answer>
    ) {
        if let early = watcher.answer { return answer(.success(early)) }
        guard !isEnding, !hasDeparted(watcher.caller), deadline > .now else {
            remove(number)
            return answer(.success((watcher.since, [], ChangeFacts())))
        }
        watcher.receiver = answer
        deadlines.insert(watcher, at: deadline)
        arm()
    }

    /// What the caller may know of an answer to a question for all pasteboards; `nil` if nothing is left.
    private func visible(_ answer: Answer?, to watcher: Watcher) -> Answer? {
        guard let answer, watcher.names.isEmpty else { return answer }
        let visibility = visibility(watcher.caller)
        guard !visibility.isWhole else { return answer }
        let rows = answer.1.filter { row in (try? PasteboardName(row.name)).map(visibility.allows) ?? false }
        return rows.isEmpty && answer.2.resync != true ? nil : (answer.0, rows, answer.2)
    }

    /// Nobody reads the answers to a connection that is gone, and its places are free again.
    func callerLeft(_ caller: BusName) {
        Slices.forEach((byCaller[caller] ?? []).sorted()) { number in
            self.answer(number, (self.watchers[number]?.since ?? 0, [], ChangeFacts()))
        }
    }

    /// Answers who waits for these pasteboards; a removal is told with the count 0. Costs what is concerned, however many
    /// others wait.
    func changed(_ moves: [PasteboardMove]) {
        guard !watchers.isEmpty, let newest = moves.map(\.changeCount).max() else { return }
        var latest: [PasteboardName: PasteboardMove] = [:]
        for move in moves where latest[move.name].map({ $0.changeCount < move.changeCount }) ?? true {
            latest[move.name] = move
        }
        let sorted = latest.values.sorted { $0.name < $1.name }
        var ofNumber: [UInt64: [PasteboardMove]] = [:]
        for move in sorted { for number in byName[move.name] ?? [] { ofNumber[number, default: []].append(move) } }
        for (number, moves) in ofNumber { tell(number, moves, newest) }
        guard !ofAll.isEmpty else { return }
        for number in ofAll {
            guard let watcher = watchers[number] else { continue }
            let visibility = visibility(watcher.caller)
            tell(number, visibility.isWhole ? sorted : sorted.filter { visibility.allows($0.name) }, newest)
        }
    }

    private func tell(_ number: UInt64, _ moves: [PasteboardMove], _ newest: UInt64) {
        guard let since = watchers[number]?.since else { return }
        // What its own question has already told it moves nothing.
        let rows = moves.filter { $0.changeCount > since }.map {
            ChangedPasteboard(name: $0.name.text, changeCount: $0.state == nil ? 0 : $0.changeCount)
        }
        if !rows.isEmpty { answer(number, (newest, rows, ChangeFacts())) }
    }

    /// Lets everybody go, because the broker ends.
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

    private func add(_ watcher: Watcher) -> UInt64 {
        last += 1
        watcher.number = last
        watchers[last] = watcher
        if watcher.names.isEmpty { ofAll.insert(last) }
        for name in watcher.names { byName[name, default: []].insert(last) }
        if let caller = watcher.caller { byCaller[caller, default: []].insert(last) }
        return last
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

    /// The timer is set for a deadline that is earlier than its own, and stays where it is when that one goes: those who
    /// are answered and ask again at once set none.
    private func arm() {
        guard let first = deadlines.first, timer.deadline.map({ first < $0 }) ?? true else { return }
        timer.set(at: first) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = ContinuousClock.now
        // A slice at a time: the timer is due again at once where more have passed.
        for _ in 0..<Slices.size {
            guard let watcher = deadlines.takeDue(at: now) else { break }
            answer(watcher.number, (watcher.since, [], ChangeFacts()))
        }
        arm()
    }
}
