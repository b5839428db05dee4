internal import IPCDBus
internal import IPCQueues

/// A queue in which callers take turns, no matter how many elements each has. The elements of one caller stay in order.
struct CallersInTurn<Waiting> {
    private var lines: [BusName?: Queue<Waiting>] = [:]
    private var turns = Queue<BusName?>()
    private(set) var count = 0

    func count(of caller: BusName?) -> Int { lines[caller]?.count ?? 0 }

    var next: Waiting? { turns.next.flatMap { lines[$0]?.next } }

    mutating func append(_ element: Waiting, of caller: BusName?) {
        if lines[caller] == nil { turns.append(caller) }
        lines[caller, default: Queue()].append(element)
        count += 1
    }

    mutating func takeNext() -> Waiting? {
        guard let caller = turns.takeFirst(), let next = lines[caller]?.takeFirst() else { return nil }
        count -= 1
        if lines[caller]?.isEmpty == true { lines[caller] = nil } else { turns.append(caller) }
        return next
    }
}
