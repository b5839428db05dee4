internal import IPCModel

/// The table `open_request`: a row for each request that has a record. It knows the keys of the rows, and the order in
/// which requests ended, without reading them.
final class RequestRows {
    private let transaction: GroupTransaction
    private let replyKeptBytes: UInt64
    private var log = RequestLog()
    /// Emptied when anything is undone.
    private var open = OpenRequests()

    init(_ transaction: GroupTransaction) {
        self.transaction = transaction
        replyKeptBytes = transaction.configuration.limits.replyKeptBytes
        transaction.emptyOnUndo { [unowned self] in open.removeAll() }
    }

    /// Reads which requests the file has.
    func load() throws { try log.load(transaction) }

    /// Lets go of the room of forgotten requests; not while any may be taken back.
    func compact() { log.compact() }

    /// The requests that began a moment ago, and have not ended.
    var openCount: Int { open.count }

    // MARK: Reading

    /// The key of a request's row.
    func sequence(_ id: RequestID) -> Int64? { log.sequence(id) }

    /// The record that stands under a key; nil where there is none, an error where it is damaged.
    func record(_ sequence: Int64, _ id: RequestID) throws -> RequestRecord? {
        try transaction.statement(Self.find, .persistent).first([.integer(sequence)]) {
            guard let request = RequestRecord($0), request.id == id else {
                throw StoreError.damagedRecord("the request \(id.text)")
            }
            return request
        }
    }

    /// The record of a request that has to be there.
    func existing(_ id: RequestID) throws -> (sequence: Int64, record: RequestRecord) {
        guard let sequence = log.sequence(id), let record = try open[sequence, id] ?? record(sequence, id) else {
            throw RequestError.noSuchRequest(id)
        }
        return (sequence, record)
    }

    /// The rows behind a key, in their order, without replies and traces, as long as the closure returns true; nil for a
    /// damaged one.
    func scan(after sequence: Int64, _ body: (Int64, RequestRecord?) -> Bool) throws {
        try transaction.statement("SELECT * FROM @.open_request WHERE sequence > ? ORDER BY sequence", .persistent)
            .scan([.integer(sequence)]) { body($0.integer(0), RequestRecord(outline: $0)) }
    }

    /// The keys of the requests behind one that have not ended, in the order of acceptance.
    func unended(after sequence: Int64, atMost count: Int) -> [Int64] { log.unended(after: sequence, atMost: count) }

    /// The record under a key without reply and trace; nil where it is damaged.
    func outline(_ sequence: Int64) throws -> RequestRecord? {
        try transaction.statement(Self.find, .persistent).first([.integer(sequence)], RequestRecord.init(outline:))
    }

    private static let find: StaticString = "SELECT * FROM @.open_request WHERE sequence = ?"

    // MARK: Writing

    /// Writes the row of a new request.
    func begin(_ request: RequestRecord) throws {
        // There may be a record of the same id whose time is over; it goes when its turn comes.
        let earlier = log.sequence(request.id)
        let sequence = log.lastSequence + 1
        try transaction.write(
            Self.insert, .persistent, columns(request, sequence),
            reversal: { [self] in
                try transaction.statement(Self.delete, .persistent).run([.integer(sequence)])
            })
        log.begin(request.id, sequence)
        transaction.onUndo { [self] in log.takeBackBegun(request.id, earlier: earlier) }
        open.keep(request, sequence)
    }

    /// Writes the row of a request anew.
    func update(_ request: RequestRecord, _ sequence: Int64) throws {
        let columns = columns(request, sequence)
        guard let former = open.take(sequence) else {
            return try transaction.write(Self.replace, .persistent, columns)
        }
        try transaction.write(
            Self.replace, .persistent, columns,
            reversal: { [self] in
                try transaction.statement(Self.replace, .persistent).run(self.columns(former, sequence))
            })
    }

    private func columns(_ request: RequestRecord, _ sequence: Int64) -> [SQLValue] {
        request.columns(sequence, replyKeptBytes: replyKeptBytes)
    }

    private static let insert: StaticString = """
        INSERT INTO @.open_request VALUES
        (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let replace: StaticString = """
        REPLACE INTO @.open_request VALUES
        (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let delete: StaticString = "DELETE FROM @.open_request WHERE sequence = ?"

    // MARK: Ended requests

    /// Notes that a request has ended.
    func noteEnd(of request: RequestRecord, _ sequence: Int64) {
        end(request.id.hashValue, sequence, payload: request.payloadVersion, payer: request.payer)
    }

    /// Nobody can end a request whose row is damaged: its time to be forgotten begins.
    func noteDamaged(_ sequence: Int64) {
        guard let key = log.key(of: sequence) else { return }
        end(key, sequence, payload: nil, payer: .nobody)
    }

    private func end(_ key: Int, _ sequence: Int64, payload: UInt64?, payer: RequestPayer) {
        log.end(key, sequence, payload: payload, payer: payer, at: transaction.now)
        transaction.onUndo { [self] in log.takeBackEnded(payer) }
    }

    /// Forgets an ended request out of its turn.
    func drop(_ id: RequestID, _ sequence: Int64, of payer: RequestPayer) throws {
        try transaction.write(Self.delete, .persistent, [.integer(sequence)])
        log.drop(id, sequence, payer: payer)
        transaction.onUndo { [self] in log.takeBackDropped(id, sequence, payer) }
    }

    var payers: [RequestPayer] { log.payers }
    var unattestedCount: Int { log.unattestedCount }
    /// No request that is kept ended before this time; nil where none has ended.
    var firstEnd: UInt64? { log.firstEnd }

    func findFirstEnd() { log.findFirstEnd() }

    /// The request of a payer that ended first, and how many there are.
    func oldest(of payer: RequestPayer) -> (ended: RequestLog.Ended, count: Int)? { log.oldest(of: payer) }

    /// The payers that nothing attests and their records: those with most first.
    func heaviestUnattested(atMost most: Int) -> [(payer: RequestPayer, count: Int)] {
        log.heaviestUnattested(atMost: most)
    }

    /// What is kept of the payload of an ended request.
    enum Payload {
        case none
        case version(UInt64)
        /// The row is damaged.
        case unknown
    }

    /// Removes the request of a payer that ended first.
    func forgetOldest(_ ended: RequestLog.Ended, of payer: RequestPayer) throws -> Payload {
        var payload = Payload.none
        if !ended.isDropped {
            payload = try self.payload(of: ended)
            try transaction.write(Self.delete, .persistent, [.integer(ended.sequence)])
        }
        log.forgetOldest(of: payer)
        transaction.onUndo { [self] in log.takeBackForgotten(ended, payer) }
        return payload
    }

    private func payload(of ended: RequestLog.Ended) throws -> Payload {
        if let version = ended.payload { return version > 0 ? .version(version) : .none }
        let version = try transaction.statement(Self.find, .persistent).first([.integer(ended.sequence)]) { row in
            row.isIntact(.openRequest, checksum: 30) ? row.integer(13) : nil
        }
        guard let version else { return .unknown }
        return version > 0 ? .version(UInt64(version)) : .none
    }
}

/// Records of requests that began a moment ago, as they were written: most end before another thousand begin, and their
/// rows need not be read again.
private struct OpenRequests {
    private var records: [Int64: RequestRecord] = [:]

    /// More are not waited for in the moment that is meant.
    private static let most = 1_024
    /// What is longer is read again: all of them take 8 MiB at most.
    private static let mostBytes = 8_192

    var count: Int { records.count }

    subscript(sequence: Int64, id: RequestID) -> RequestRecord? {
        records[sequence].flatMap { $0.id == id ? $0 : nil }
    }

    mutating func keep(_ request: RequestRecord, _ sequence: Int64) {
        guard request.state == .waiting, request.url.utf8.count + (request.context?.count ?? 0) <= Self.mostBytes else {
            return
        }
        if records.count >= Self.most { removeAll() }
        records[sequence] = request
    }

    /// The record that is about to be replaced.
    mutating func take(_ sequence: Int64) -> RequestRecord? { records.removeValue(forKey: sequence) }

    mutating func removeAll() { records.removeAll(keepingCapacity: true) }
}
