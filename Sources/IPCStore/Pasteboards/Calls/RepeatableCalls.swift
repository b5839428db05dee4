internal import IPCModel

/// A call with an id, which its caller may repeat.
struct RepeatableCall {
    /// The raw values are stored in the database, so they must never change.
    enum Kind: Int64 {
        case setItems = 1
        case addItems = 2
        case clear = 3
        case take = 4
    }

    let id: RequestID
    let kind: Kind
    /// The digest of the arguments, which reveals that an id is reused for another call. It does not cover the caller,
    /// because a call may be repeated over another connection.
    let arguments: ContentDigest

    init(
        _ id: RequestID, _ kind: Kind, _ name: PasteboardName, _ entries: [RepresentationEntry], _ options: WriteOptions
    ) {
        var bytes: [UInt8] = []
        bytes.append(UInt8(kind.rawValue))
        bytes.append(field: name.text)
        bytes.append(number: options.ifChangeCount ?? .max)
        bytes.append(number: options.timeToLive ?? .max)
        bytes.append((options.isSensitive ? 1 : 0) | (options.isOnce ? 2 : 0))
        for entry in entries {
            bytes.append(number: UInt64(entry.row.item))
            bytes.append(field: entry.row.type)
            // Bytes in a file are the same value as equal bytes in the message. Text is never the same value as bytes.
            bytes.append(entry.row.kind == RepresentationRow.fileKind ? 1 : UInt8(entry.row.kind))
            bytes.append(contentsOf: entry.row.digest.bytes)
        }
        (self.id, self.kind, arguments) = (id, kind, ContentDigest(of: bytes))
    }

    init(_ id: RequestID, of name: PasteboardName, _ options: ReadOptions) {
        var bytes: [UInt8] = []
        bytes.append(field: name.text)
        bytes.append(number: options.changeCount ?? .max)
        for type in options.types ?? [] { bytes.append(field: type.canonical) }
        bytes.append(options.types == nil ? 0 : 1)
        (self.id, kind, arguments) = (id, .take, ContentDigest(of: bytes))
    }
}

/// The table `operation`: calls that are remembered by their id (I10), with the versions held for them.
/// The table is read on first use, so that the start does not wait for it.
final class RepeatableCalls {
    private let transaction: GroupTransaction
    private let versions: Versions
    private let configuration: StoreConfiguration
    private var log = OperationLog()

    init(_ transaction: GroupTransaction, _ versions: Versions) {
        (self.transaction, self.versions, configuration) = (transaction, versions, transaction.configuration)
    }

    func compact() { log.compact() }

    struct Known {
        let result: UInt64
        /// The change count of the version held for the call; 0 if there is none.
        let version: UInt64
        let area: Area
    }

    /// The result of an earlier call with the same id; `nil` if there is none, or its retention period is over.
    func known(_ call: RepeatableCall) throws -> Known? {
        try log.load(transaction)
        guard let place = log.place(call.id) else { return nil }
        return try transaction.statement("SELECT * FROM @.operation WHERE sequence = ?", place.area)
            .first([.integer(place.sequence)]) { row in
                guard row.isIntact(.operation, checksum: 7) else {
                    throw StoreError.damagedRecord("the call \(call.id.text)")
                }
                guard !transaction.isOver(row.number(6), seconds: configuration.limits.operationKeptSeconds) else {
                    return nil
                }
                guard row.integer(2) == call.kind.rawValue, ContentDigest(stored: row.raw(3)) == call.arguments else {
                    throw PasteboardError.identifierReused(call.id)
                }
                return Known(result: row.number(4), version: row.number(5), area: place.area)
            }
    }

    /// Remembers the result of a call, and forgets a few older calls.
    func remember(_ call: RepeatableCall, result: UInt64, version: UInt64 = 0, _ area: Area) throws {
        try log.load(transaction)
        try forgetSome()
        // The sequence number is new, because an older call with the same id may still have a row.
        let sequence = log.lastSequence + 1
        try transaction.insert(
            "INSERT INTO @.operation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", area,
            [
                .integer(sequence), .text(call.id.text), .integer(call.kind.rawValue),
                .bytes(call.arguments.bytes), .number(result), .number(version), .number(transaction.now),
            ], in: .operation)
        log.add(call.id, sequence, version: version, area, at: transaction.now)
        transaction.onUndo { [self] in log.undoAdd() }
    }

    /// Forgets at most two old calls, so that no call has to wait until many others are forgotten.
    private func forgetSome() throws {
        for _ in 0..<2 {
            guard let oldest = log.oldest else { return }
            guard isOver(oldest) || log.count >= configuration.operationsKept else { return }
            try forget(oldest)
        }
    }

    /// Forgets calls whose retention period is over, so that their versions are released even if no call follows.
    func forgetOver(atMost count: Int) throws {
        try log.load(transaction)
        for _ in 0..<count {
            guard let oldest = log.oldest, isOver(oldest) else { return }
            try forget(oldest)
        }
    }

    /// When the oldest call is due to be forgotten, in milliseconds of uptime; `nil` if no version is held for any
    /// call. Age is measured by the wall clock. If that was set back, the call is checked again after the full period.
    var nextEnd: UInt64? {
        // If this read fails, the next operation that needs the log throws the error.
        try? log.load(transaction)
        guard log.holding > 0, let oldest = log.oldest else { return nil }
        let kept = configuration.limits.operationKeptSeconds * 1_000
        let age = transaction.now - min(oldest.time, transaction.now)
        return configuration.uptime() + (kept - min(age, kept))
    }

    private func isOver(_ operation: OperationLog.Entry) -> Bool {
        transaction.isOver(operation.time, seconds: configuration.limits.operationKeptSeconds)
    }

    private func forget(_ oldest: OperationLog.Entry) throws {
        if oldest.version != 0 { try versions.release(oldest.version, oldest.area) }
        try transaction.write("DELETE FROM @.operation WHERE sequence = ?", oldest.area, [.integer(oldest.sequence)])
        log.forgetOldest()
        transaction.onUndo { [self] in log.undoForget() }
    }
}
