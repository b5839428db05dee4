internal import IPCDBus

/// What waits for a place, for many callers: they take turns, whatever one of them has waiting, each in its own order.
struct CallersInTurn<Waiting> {
    private var lines: [BusName?: Queue<Waiting>] = [:]
    /// Those who have something waiting.
    private var turns = Queue<BusName?>()
    /// Of all callers.
    private(set) var count = 0

    /// Of one caller.
    func count(of caller: BusName?) -> Int { lines[caller]?.count ?? 0 }

    /// Whose turn it is, for what; nil where nothing waits.
    var next: Waiting? { turns.next.flatMap { lines[$0]?.next } }

    mutating func append(_ element: Waiting, of caller: BusName?) {
        if lines[caller] == nil { turns.append(caller) }
        lines[caller, default: Queue()].append(element)
        count += 1
    }

    /// - Returns: nil where nothing waits.
    mutating func takeNext() -> Waiting? {
        guard let caller = turns.takeFirst(), let next = lines[caller]?.takeFirst() else { return nil }
        count -= 1
        if lines[caller]?.isEmpty == true { lines[caller] = nil } else { turns.append(caller) }
        return next
    }
}
