internal import IPCModel

/// Which open requests have a record, and in which order those of a source ended; the rows tell the rest.
struct RequestLog {
    /// An ended request.
    struct Ended {
        let key: Int
        let sequence: Int64
        let time: UInt64
    }

    private struct Line {
        var ended: [Ended] = []
        var first = 0
    }

    private var sequences: [Int: Int64] = [:]
    private var unended: Set<Int64> = []
    private var lines: [String: Line] = [:]
    private var forgotten = 0
    private(set) var lastSequence: Int64 = 0

    /// The key of a request's row.
    ///
    /// Ids are told apart by a hash with a seed of this process: 64 bits are enough, and nobody can choose them.
    func sequence(_ id: RequestID) -> Int64? { sequences[id.hashValue] }

    /// Requests with a record.
    var count: Int { sequences.count }

    /// The sources that have ended requests.
    var sources: [String] { Array(lines.keys) }

    mutating func begin(_ id: RequestID, _ sequence: Int64) {
        lastSequence = max(lastSequence, sequence)
        sequences[id.hashValue] = sequence
        unended.insert(sequence)
    }

    mutating func end(_ id: RequestID, _ sequence: Int64, source: String, at time: UInt64) {
        unended.remove(sequence)
        lines[source, default: Line()].ended.append(Ended(key: id.hashValue, sequence: sequence, time: time))
    }

    /// The keys of the requests behind one that have not ended, in the order of acceptance.
    func unended(after sequence: Int64) -> [Int64] { unended.filter { $0 > sequence }.sorted() }

    /// The request of a source that ended first, and how many there are.
    func oldest(of source: String) -> (ended: Ended, count: Int)? {
        guard let line = lines[source], line.first < line.ended.count else { return nil }
        return (line.ended[line.first], line.ended.count - line.first)
    }

    mutating func forgetOldest(of source: String) {
        guard let ended = oldest(of: source)?.ended else { return }
        // The id may have come again after the time for which the first request was kept.
        if sequences[ended.key] == ended.sequence { sequences[ended.key] = nil }
        lines[source]?.first += 1
        forgotten += 1
    }

    /// Takes the beginning of a request back; `earlier` is the row that the id stood for before.
    mutating func takeBackBegun(_ id: RequestID, earlier: Int64?) {
        if let sequence = sequences[id.hashValue] { unended.remove(sequence) }
        sequences[id.hashValue] = earlier
    }

    mutating func takeBackEnded(source: String) {
        guard let ended = lines[source]?.ended.removeLast() else { return }
        unended.insert(ended.sequence)
    }

    mutating func takeBackForgotten(_ ended: Ended, source: String) {
        if sequences[ended.key] == nil { sequences[ended.key] = ended.sequence }
        lines[source]?.first -= 1
    }

    /// Lets go of the room of forgotten requests; not while any may be taken back.
    mutating func compact() {
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
}

extension RequestLog {
    /// Reads which requests the file has.
    mutating func load(_ session: StoreSession) throws {
        var ended: [(id: RequestID, sequence: Int64, source: String, time: UInt64)] = []
        let statement = try session.statement(
            "SELECT sequence, id, source, ended FROM @.open_request ORDER BY sequence", .persistent)
        try statement.query { row in
            lastSequence = max(lastSequence, row.integer(0))
            guard let id = try? RequestID(row.text(1)) else { return }
            begin(id, row.integer(0))
            if !row.isNull(3) { ended.append((id, row.integer(0), row.text(2), row.number(3))) }
        }
        for request in ended.sorted(by: { $0.time < $1.time }) {
            end(request.id, request.sequence, source: request.source, at: request.time)
        }
    }
}
