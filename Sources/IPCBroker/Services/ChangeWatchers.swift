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
    private struct Watcher {
        let names: Set<PasteboardName>
        let deadline: ContinuousClock.Instant
        let since: UInt64
        let continuation: CheckedContinuation<Answer, Never>
    }

    private var watchers: [UInt64: Watcher] = [:]
    private var byName: [PasteboardName: Set<UInt64>] = [:]
    private var ofAll: Set<UInt64> = []
    private var last: UInt64 = 0
    private let timer = DBusTimer()
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    var count: Int { watchers.count }

    /// Waits for the next change of one of `names`, or of any pasteboard; an empty list when the time is over.
    func wait(
        for names: Set<PasteboardName>, since: UInt64, until deadline: ContinuousClock.Instant
    ) async throws(LimitExceeded) -> Answer {
        try limits.check(\.watchers, use: UInt64(watchers.count), request: 1)
        return await withCheckedContinuation { continuation in
            last += 1
            watchers[last] = Watcher(names: names, deadline: deadline, since: since, continuation: continuation)
            if names.isEmpty { ofAll.insert(last) }
            for name in names { byName[name, default: []].insert(last) }
            if timer.deadline.map({ deadline < $0 }) ?? true { arm(deadline) }
        }
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
        for (number, watcher) in watchers { answer(number, (watcher.since, [], ChangeFacts())) }
    }

    private func answer(_ number: UInt64, _ answer: Answer) {
        guard let watcher = watchers.removeValue(forKey: number) else { return }
        ofAll.remove(number)
        for name in watcher.names {
            byName[name]?.remove(number)
            if byName[name]?.isEmpty == true { byName[name] = nil }
        }
        watcher.continuation.resume(returning: answer)
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
