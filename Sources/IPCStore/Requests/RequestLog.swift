internal import IPCModel

/// The keys of requests with a record and, for each ``RequestPayer``, the order in which its requests ended.
struct RequestLog {
    struct Ended {
        /// The hash of the id: 64 bits are enough to distinguish ids. The hash depends on a random seed of the process,
        /// so no caller can choose two ids with the same hash.
        let key: Int
        let sequence: Int64
        let time: UInt64
        /// The change count of the payload's version: 0 if there is none, `nil` if it is only in the request's row.
        let payload: UInt64?
        /// Whether a caller dropped the request before its retention period was over.
        var isDropped = false
    }

    /// The ended requests of one ``RequestPayer``, in the order in which they ended.
    private struct Line {
        var ended: [Ended] = []
        var first = 0
        var dropped = 0

        var count: Int { ended.count - first - dropped }
    }

    private var sequences: [Int: Int64] = [:]
    /// The keys of the requests that have not ended, by sequence number.
    private var unended: [Int64: Int] = [:]
    /// The sequence numbers of the requests in `unended`, in order of acceptance, and of some that have ended since.
    private var order: [Int64] = []
    private var lines: [RequestPayer: Line] = [:]
    /// The number of ended requests that are kept for payers with unproven ids (``RequestPayer``). Every process may be
    /// such a payer.
    private(set) var unattestedCount = 0
    private var forgotten = 0
    private var drops = 0
    private(set) var lastSequence: Int64 = 0
    /// No kept request ended before this time; `nil` if no request has ended.
    private(set) var firstEnd: UInt64?

    func sequence(_ id: RequestID) -> Int64? { sequences[id.hashValue] }

    /// The hash of the id of an unended request; `nil` if the request has ended.
    func key(of sequence: Int64) -> Int? { unended[sequence] }

    var payers: [RequestPayer] { Array(lines.keys) }

    /// The payers with unproven ids that have the most records, each with the number of its records. Of payers with
    /// equally many, the one with the oldest record comes first.
    func heaviestUnattested(atMost most: Int) -> [(payer: RequestPayer, count: Int)] {
        lines.lazy.filter { !$0.key.isAttested && $0.value.first < $0.value.ended.count }
            .map { (payer: $0.key, count: $0.value.count, oldest: $0.value.ended[$0.value.first].sequence) }
            .sorted { ($1.count, $0.oldest) < ($0.count, $1.oldest) }
            .prefix(most).map { ($0.payer, $0.count) }
    }

    mutating func begin(_ id: RequestID, _ sequence: Int64) {
        lastSequence = max(lastSequence, sequence)
        sequences[id.hashValue] = sequence
        unended[sequence] = id.hashValue
        order.append(sequence)
    }

    mutating func end(_ key: Int, _ sequence: Int64, payload: UInt64? = nil, payer: RequestPayer, at time: UInt64) {
        unended[sequence] = nil
        lines[payer, default: Line()].ended.append(
            Ended(key: key, sequence: sequence, time: time, payload: payload))
        count(1, payer)
        firstEnd = min(firstEnd ?? time, time)
    }

    /// The sequence numbers of unended requests after `sequence`, in order of acceptance.
    func unended(after sequence: Int64, atMost count: Int) -> [Int64] {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] > sequence { high = middle } else { low = middle + 1 }
        }
        return Array(order[low...].lazy.filter { unended[$0] != nil }.prefix(count))
    }

    private mutating func count(_ change: Int, _ payer: RequestPayer) {
        if !payer.isAttested { unattestedCount += change }
    }

    /// A payer's oldest ended request, and how many ended requests of the payer are kept.
    func oldest(of payer: RequestPayer) -> (ended: Ended, count: Int)? {
        guard let line = lines[payer], line.first < line.ended.count else { return nil }
        return (line.ended[line.first], line.count)
    }

    mutating func forgetOldest(of payer: RequestPayer) {
        guard let ended = oldest(of: payer)?.ended else { return }
        // The oldest request's id may now belong to a later request, which reused it after the retention period.
        if sequences[ended.key] == ended.sequence { sequences[ended.key] = nil }
        lines[payer]?.first += 1
        if ended.isDropped { lines[payer]?.dropped -= 1 } else { count(-1, payer) }
        forgotten += 1
    }

    /// Forgets an ended request before its retention period is over. Its entry stays in `ended`, marked as dropped.
    mutating func drop(_ id: RequestID, _ sequence: Int64, payer: RequestPayer) {
        sequences[id.hashValue] = nil
        setDropped(true, sequence, payer)
        drops += 1
    }

    /// - Parameter earlier: the sequence number that the id had before, if any.
    mutating func undoBegin(_ id: RequestID, earlier: Int64?) {
        if let sequence = sequences[id.hashValue] { unended[sequence] = nil }
        sequences[id.hashValue] = earlier
    }

    mutating func undoEnd(_ payer: RequestPayer) {
        guard let ended = lines[payer]?.ended.popLast() else { return }
        count(-1, payer)
        unended[ended.sequence] = ended.key
    }

    mutating func undoForget(_ ended: Ended, _ payer: RequestPayer) {
        if !ended.isDropped, sequences[ended.key] == nil { sequences[ended.key] = ended.sequence }
        lines[payer]?.first -= 1
        if ended.isDropped { lines[payer]?.dropped += 1 } else { count(1, payer) }
        firstEnd = min(firstEnd ?? ended.time, ended.time)
    }

    mutating func undoDrop(_ id: RequestID, _ sequence: Int64, _ payer: RequestPayer) {
        sequences[id.hashValue] = sequence
        setDropped(false, sequence, payer)
    }

    private mutating func setDropped(_ isDropped: Bool, _ sequence: Int64, _ payer: RequestPayer) {
        guard var line = lines.removeValue(forKey: payer) else { return }
        // The search begins at the end, because most dropped requests ended recently.
        if let index = line.ended[line.first...].lastIndex(where: { $0.sequence == sequence }) {
            line.ended[index].isDropped = isDropped
            line.dropped += isDropped ? 1 : -1
            count(isDropped ? -1 : 1, payer)
        }
        lines[payer] = line
    }

    /// Frees the memory of forgotten requests. Only call this between groups, when no undo can restore them.
    mutating func compact() {
        if order.count > 2 * unended.count + 1_024 { order.removeAll { unended[$0] == nil } }
        if drops > 1_024 { removeDropped() }
        guard forgotten > 4_096 else { return }
        forgotten = 0
        for (payer, line) in lines {
            if line.first == line.ended.count {
                lines[payer] = nil
            } else {
                lines[payer]?.ended.removeFirst(line.first)
                lines[payer]?.first = 0
            }
        }
    }

    private mutating func removeDropped() {
        drops = 0
        for (payer, line) in lines where line.dropped > 0 {
            let rest = line.ended[line.first...].filter { !$0.isDropped }
            lines[payer] = rest.isEmpty ? nil : Line(ended: rest)
        }
    }

    mutating func findFirstEnd() {
        firstEnd = lines.values.compactMap { $0.first < $0.ended.count ? $0.ended[$0.first].time : nil }.min()
    }

    mutating func load(_ transaction: GroupTransaction) throws {
        var ended: [(key: Int, sequence: Int64, payer: RequestPayer, time: UInt64)] = []
        // SQLite reads a row only up to the last of the selected columns.
        let statement = try transaction.statement(
            "SELECT sequence, id, source, ended, strength, caller FROM @.open_request ORDER BY sequence", .persistent)
        try statement.query { row in
            guard (0...SQLRow.greatest).contains(row.integer(0)) else { return }
            lastSequence = max(lastSequence, row.integer(0))
            guard let id = try? RequestID(row.text(1)) else { return }
            begin(id, row.integer(0))
            guard !row.isNull(3) else { return }
            let payer = RequestPayer(
                SourceStrength(number: row.integer(4)) ?? .unknown, application: row.text(2), caller: row.text(5))
            ended.append((id.hashValue, row.integer(0), payer, row.number(3)))
        }
        for request in ended.sorted(by: { $0.time < $1.time }) {
            end(request.key, request.sequence, payer: request.payer, at: request.time)
        }
        compact()
    }
}
