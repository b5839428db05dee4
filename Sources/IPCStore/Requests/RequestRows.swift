internal import IPCModel

/// The table `open_request`: one row for each request that has a record.
final class RequestRows {
    private let transaction: GroupTransaction
    private let replyKeptBytes: UInt64
    private(set) var log = RequestLog()
    /// A cache of the records of requests that began recently; emptied whenever anything is undone. Most requests end
    /// before another thousand begin, so their rows need not be read.
    private var open: [Int64: RequestRecord] = [:]

    private static let mostOpen = 1_024
    /// A record with more bytes than this is not cached, so that the cache takes at most 8 MiB.
    private static let mostOpenBytes = 8_192

    init(_ transaction: GroupTransaction) {
        self.transaction = transaction
        replyKeptBytes = transaction.configuration.limits.replyKeptBytes
        transaction.emptyOnUndo { [unowned self] in open.removeAll(keepingCapacity: true) }
    }

    func load() throws { try log.load(transaction) }

    func compact() { log.compact() }

    /// The number of cached requests: those that began recently and have not ended.
    var openCount: Int { open.count }

    /// The record with a sequence number; `nil` if there is none.
    /// - Throws: `StoreError.damagedRecord`
    func record(_ sequence: Int64, _ id: RequestID) throws -> RequestRecord? {
        try transaction.statement(Self.find, .persistent).first([.integer(sequence)]) {
            guard let request = RequestRecord($0), request.id == id else {
                throw StoreError.damagedRecord("the request \(id.text)")
            }
            return request
        }
    }

    func existing(_ id: RequestID) throws -> (sequence: Int64, record: RequestRecord) {
        guard let sequence = log.sequence(id), let record = try opened(sequence, id) ?? record(sequence, id) else {
            throw RequestError.noSuchRequest(id)
        }
        return (sequence, record)
    }

    private func opened(_ sequence: Int64, _ id: RequestID) -> RequestRecord? {
        open[sequence].flatMap { $0.id == id ? $0 : nil }
    }

    /// Passes the records after a sequence number to a closure, without their replies and traces, until the closure
    /// returns false. A damaged row is passed as `nil`.
    func scan(after sequence: Int64, _ body: (Int64, RequestRecord?) -> Bool) throws {
        try transaction.statement("SELECT * FROM @.open_request WHERE sequence > ? ORDER BY sequence", .persistent)
            .scan([.integer(sequence)]) { body($0.integer(0), RequestRecord(outline: $0)) }
    }

    /// The record with a sequence number, without its reply and trace; `nil` if it is damaged.
    func outline(_ sequence: Int64) throws -> RequestRecord? {
        try transaction.statement(Self.find, .persistent).first([.integer(sequence)], RequestRecord.init(outline:))
    }

    private static let find: StaticString = "SELECT * FROM @.open_request WHERE sequence = ?"

    func begin(_ request: RequestRecord) throws {
        // An older record with the same id may still be waiting to be forgotten.
        let earlier = log.sequence(request.id)
        let sequence = log.lastSequence + 1
        try transaction.write(
            Self.insert, .persistent, columns(request, sequence),
            undoneBy: Self.delete, { [.integer(sequence)] })
        log.begin(request.id, sequence)
        transaction.onUndo { [self] in log.undoBegin(request.id, earlier: earlier) }
        keepOpen(request, sequence)
    }

    private func keepOpen(_ request: RequestRecord, _ sequence: Int64) {
        let bytes = request.url.utf8.count + (request.context?.count ?? 0)
        guard request.state == .waiting, bytes <= Self.mostOpenBytes else { return }
        if open.count >= Self.mostOpen { open.removeAll(keepingCapacity: true) }
        open[sequence] = request
    }

    func update(_ request: RequestRecord, _ sequence: Int64) throws {
        let columns = columns(request, sequence)
        guard let former = open.removeValue(forKey: sequence) else {
            return try transaction.write(Self.replace, .persistent, columns)
        }
        try transaction.write(
            Self.replace, .persistent, columns,
            undoneBy: Self.replace, { [self] in self.columns(former, sequence) })
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

    func noteEnd(of request: RequestRecord, _ sequence: Int64, _ payer: RequestPayer) {
        end(request.id.hashValue, sequence, payload: request.payloadVersion, payer: payer)
    }

    /// Treats a request with a damaged row as if it ended now, because no call can end it.
    func noteDamaged(_ sequence: Int64) {
        guard let key = log.key(of: sequence) else { return }
        end(key, sequence, payload: nil, payer: .nobody)
    }

    private func end(_ key: Int, _ sequence: Int64, payload: UInt64?, payer: RequestPayer) {
        log.end(key, sequence, payload: payload, payer: payer, at: transaction.now)
        transaction.onUndo { [self] in log.undoEnd(payer) }
    }

    func drop(_ id: RequestID, _ sequence: Int64, of payer: RequestPayer) throws {
        try transaction.write(Self.delete, .persistent, [.integer(sequence)])
        log.drop(id, sequence, payer: payer)
        transaction.onUndo { [self] in log.undoDrop(id, sequence, payer) }
    }

    func findFirstEnd() { log.findFirstEnd() }

    /// Removes the payer's request that ended first.
    /// - Returns: the change count of its payload's version: 0 if there is none, `nil` if the request's row is damaged.
    func forgetOldest(_ ended: RequestLog.Ended, of payer: RequestPayer) throws -> UInt64? {
        var payload: UInt64? = 0
        if !ended.isDropped {
            payload = try ended.payload ?? storedPayload(ended.sequence)
            try transaction.write(Self.delete, .persistent, [.integer(ended.sequence)])
        }
        log.forgetOldest(of: payer)
        transaction.onUndo { [self] in log.undoForget(ended, payer) }
        return payload
    }

    private func storedPayload(_ sequence: Int64) throws -> UInt64? {
        try transaction.statement(Self.find, .persistent).first([.integer(sequence)]) { row in
            row.isIntact(.openRequest, checksum: 30) ? UInt64(max(0, row.integer(13))) : nil
        }
    }
}
