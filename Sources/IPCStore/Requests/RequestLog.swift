internal import IPCModel

/// Which open requests have a record, and in which order those of a source ended; the rows tell the rest.
struct RequestLog {
    /// An ended request.
    struct Ended {
        let key: Int
        let sequence: Int64
        let time: UInt64
        /// The version that is held as its payload, 0 for none; nil where its row has to tell.
        let payload: UInt64?
        /// Whether somebody had it forgotten before its time.
        var isDropped = false
    }

    private struct Line {
        var ended: [Ended] = []
        var first = 0
        var dropped = 0
    }

    private var sequences: [Int: Int64] = [:]
    /// The keys of the requests that have not ended.
    private var unended: [Int64: Int] = [:]
    /// The same in the order of acceptance, and others that have ended meanwhile.
    private var order: [Int64] = []
    private var lines: [String: Line] = [:]
    private var forgotten = 0
    private var drops = 0
    private(set) var lastSequence: Int64 = 0
    /// No request that is kept ended before this time; nil where none has ended. It may lie further back.
    private(set) var firstEnd: UInt64?

    /// The key of a request's row.
    ///
    /// Ids are told apart by a hash with a seed of this process: 64 bits are enough, and nobody can choose them.
    func sequence(_ id: RequestID) -> Int64? { sequences[id.hashValue] }

    /// The hash of the id of a request that has not ended.
    func key(of sequence: Int64) -> Int? { unended[sequence] }

    /// Requests with a record.
    var count: Int { sequences.count }

    /// Requests that have not ended.
    var unendedCount: Int { unended.count }

    /// The sources that have ended requests.
    var sources: [String] { Array(lines.keys) }

    mutating func begin(_ id: RequestID, _ sequence: Int64) {
        lastSequence = max(lastSequence, sequence)
        sequences[id.hashValue] = sequence
        unended[sequence] = id.hashValue
        order.append(sequence)
    }

    mutating func end(_ key: Int, _ sequence: Int64, payload: UInt64? = nil, source: String, at time: UInt64) {
        unended[sequence] = nil
        lines[source, default: Line()].ended.append(
            Ended(key: key, sequence: sequence, time: time, payload: payload))
        firstEnd = min(firstEnd ?? time, time)
    }

    /// The keys of the rows of requests behind one that have not ended, in the order of acceptance.
    func unended(after sequence: Int64, atMost count: Int) -> [Int64] {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] > sequence { high = middle } else { low = middle + 1 }
        }
        return Array(order[low...].lazy.filter { unended[$0] != nil }.prefix(count))
    }

    /// The request of a source that ended first, and how many there are.
    func oldest(of source: String) -> (ended: Ended, count: Int)? {
        guard let line = lines[source], line.first < line.ended.count else { return nil }
        return (line.ended[line.first], line.ended.count - line.first - line.dropped)
    }

    mutating func forgetOldest(of source: String) {
        guard let ended = oldest(of: source)?.ended else { return }
        // The id may have come again after the time for which the first request was kept.
        if sequences[ended.key] == ended.sequence { sequences[ended.key] = nil }
        lines[source]?.first += 1
        if ended.isDropped { lines[source]?.dropped -= 1 }
        forgotten += 1
    }

    /// Forgets an ended request out of its turn; its place is left empty.
    mutating func drop(_ id: RequestID, _ sequence: Int64, source: String) {
        sequences[id.hashValue] = nil
        setDropped(true, sequence, source: source)
        drops += 1
    }
}

// MARK: Taking back

extension RequestLog {
    /// Takes the beginning of a request back; `earlier` is the row that the id stood for before.
    mutating func takeBackBegun(_ id: RequestID, earlier: Int64?) {
        if let sequence = sequences[id.hashValue] { unended[sequence] = nil }
        sequences[id.hashValue] = earlier
    }

    mutating func takeBackEnded(source: String) {
        guard let ended = lines[source]?.ended.removeLast() else { return }
        unended[ended.sequence] = ended.key
    }

    mutating func takeBackForgotten(_ ended: Ended, source: String) {
        if !ended.isDropped, sequences[ended.key] == nil { sequences[ended.key] = ended.sequence }
        lines[source]?.first -= 1
        if ended.isDropped { lines[source]?.dropped += 1 }
        firstEnd = min(firstEnd ?? ended.time, ended.time)
    }

    mutating func takeBackDropped(_ id: RequestID, _ sequence: Int64, source: String) {
        sequences[id.hashValue] = sequence
        setDropped(false, sequence, source: source)
    }

    private mutating func setDropped(_ isDropped: Bool, _ sequence: Int64, source: String) {
        guard var line = lines.removeValue(forKey: source) else { return }
        // What is dropped has mostly ended not long ago.
        if let index = line.ended[line.first...].lastIndex(where: { $0.sequence == sequence }) {
            line.ended[index].isDropped = isDropped
            line.dropped += isDropped ? 1 : -1
        }
        lines[source] = line
    }
}

// MARK: Upkeep

extension RequestLog {
    /// Lets go of the room of forgotten requests; not while any may be taken back.
    mutating func compact() {
        if order.count > 2 * unended.count + 1_024 { order.removeAll { unended[$0] == nil } }
        if drops > 1_024 { removeDropped() }
        guard forgotten > 4_096 else { return }
        forgotten = 0
        for (source, line) in lines {
            if line.first == line.ended.count {
                lines[source] = nil
            } else {
                lines[source]?.ended.removeFirst(line.first)
                lines[source]?.first = 0
            }
        }
    }

    /// Closes the gaps of what was dropped.
    private mutating func removeDropped() {
        drops = 0
        for (source, line) in lines where line.dropped > 0 {
            let rest = line.ended[line.first...].filter { !$0.isDropped }
            lines[source] = rest.isEmpty ? nil : Line(ended: rest)
        }
    }

    /// Looks at the oldest request of each source.
    mutating func findFirstEnd() {
        firstEnd = lines.values.compactMap { $0.first < $0.ended.count ? $0.ended[$0.first].time : nil }.min()
    }

    /// Reads which requests the file has.
    mutating func load(_ session: StoreSession) throws {
        var ended: [(key: Int, sequence: Int64, source: String, time: UInt64)] = []
        // What stands behind these columns of a row is not read.
        let statement = try session.statement(
            "SELECT sequence, id, source, ended FROM @.open_request ORDER BY sequence", .persistent)
        try statement.query { row in
            lastSequence = max(lastSequence, row.integer(0))
            guard let id = try? RequestID(row.text(1)) else { return }
            begin(id, row.integer(0))
            if !row.isNull(3) { ended.append((id.hashValue, row.integer(0), row.text(2), row.number(3))) }
        }
        for request in ended.sorted(by: { $0.time < $1.time }) {
            end(request.key, request.sequence, source: request.source, at: request.time)
        }
        compact()
    }
}
