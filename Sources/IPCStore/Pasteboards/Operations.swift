internal import IPCModel

/// The calls that can be repeated with their id; the numbers stand in rows.
enum OperationKind: Int64 {
    case setItems = 1
    case addItems = 2
    case clear = 3
    case take = 4
}

/// A call that may come again.
struct RepeatableCall {
    let id: RequestID
    let kind: OperationKind
    let arguments: ContentDigest
}

/// What a call gave that was made before.
struct KnownOperation {
    let result: UInt64
    /// The version that is held for the call; 0 for none.
    let version: UInt64
    let area: Area
}

/// The digest of what a call was given: the same id with other arguments is a mistake of the caller. Who calls is not
/// part of it: a caller who has lost its connection comes again by another.
struct ArgumentsDigest {
    let digest: ContentDigest

    init(
        _ name: PasteboardName, _ kind: OperationKind, _ entries: [RepresentationEntry], _ options: WriteOptions
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
            // Bytes are the same whether they came in the message or by a descriptor; text is another kind of value.
            bytes.append(entry.row.kind == RepresentationRow.fileKind ? 1 : UInt8(entry.row.kind))
            bytes.append(contentsOf: entry.row.digest.bytes)
        }
        digest = ContentDigest(of: bytes)
    }

    /// The arguments of a call that reads and clears.
    init(_ name: PasteboardName, types: [ContentType]?, changeCount: UInt64?) {
        var bytes: [UInt8] = []
        bytes.append(field: name.text)
        bytes.append(number: changeCount ?? .max)
        for type in types ?? [] { bytes.append(field: type.canonical) }
        bytes.append(types == nil ? 0 : 1)
        digest = ContentDigest(of: bytes)
    }
}

/// Which calls are remembered, oldest first; the rows tell what they gave (I10).
struct OperationLog {
    private struct Entry {
        let key: Int
        let sequence: Int64
        let area: Area
        let time: UInt64
        let version: UInt64
    }

    private var entries: [Entry] = []
    private var first = 0
    private var index: [Int: Int] = [:]
    private var base = 0
    private(set) var lastSequence: Int64 = 0
    /// The calls for which a version is held.
    private(set) var holding = 0
    private var isLoaded = false

    /// Calls that are remembered.
    var count: Int { entries.count - first }

    /// Where the row of a call is.
    func place(_ id: RequestID) -> (sequence: Int64, area: Area)? {
        index[id.hashValue].map { entries[$0 - base] }.map { ($0.sequence, $0.area) }
    }

    typealias Oldest = (sequence: Int64, area: Area, time: UInt64, version: UInt64)

    /// The oldest call.
    var oldest: Oldest? {
        guard first < entries.count else { return nil }
        let entry = entries[first]
        return (entry.sequence, entry.area, entry.time, entry.version)
    }

    mutating func add(_ id: RequestID, _ sequence: Int64, version: UInt64, _ area: Area, at time: UInt64) {
        lastSequence = max(lastSequence, sequence)
        // Ids are told apart by a hash with a seed of this process: 64 bits are enough, and nobody can choose them.
        index[id.hashValue] = base + entries.count
        entries.append(
            Entry(key: id.hashValue, sequence: sequence, area: area, time: time, version: version))
        if version != 0 { holding += 1 }
    }

    mutating func forgetOldest() {
        // The id may have come again after the time for which the first call was known.
        let key = entries[first].key
        if index[key] == base + first { index[key] = nil }
        if entries[first].version != 0 { holding -= 1 }
        first += 1
    }

    mutating func takeBackAdded() {
        let entry = entries.removeLast()
        index[entry.key] = nil
        if entry.version != 0 { holding -= 1 }
    }

    mutating func takeBackForgotten() {
        first -= 1
        let key = entries[first].key
        if index[key] == nil { index[key] = base + first }
        if entries[first].version != 0 { holding += 1 }
    }

    /// Lets go of the room of forgotten calls; not while any may be taken back.
    mutating func compact() {
        guard first > 1_024, first > entries.count / 2 else { return }
        entries.removeFirst(first)
        base += first
        first = 0
    }
}

extension OperationLog {
    /// Reads which calls the file remembers, once. A damaged one is known by its id, so that its repetition is an error and
    /// not a second effect, until its turn to be forgotten comes.
    mutating func load(_ transaction: GroupTransaction) throws {
        guard !isLoaded else { return }
        do { try read(transaction) } catch {
            self = OperationLog()
            throw error
        }
        isLoaded = true
    }

    private mutating func read(_ transaction: GroupTransaction) throws {
        try transaction.statement("SELECT * FROM @.operation ORDER BY sequence", .persistent).query { row in
            guard (0...SQLRow.greatest).contains(row.integer(0)) else { return }
            lastSequence = max(lastSequence, row.integer(0))
            guard let id = try? RequestID(row.text(1)) else { return }
            let isIntact = row.isIntact(.operation, checksum: 7)
            add(
                id, row.integer(0), version: isIntact ? row.number(5) : 0, .persistent,
                at: isIntact ? row.number(6) : transaction.configuration.now())
        }
    }
}

/// The calls that are remembered by their id (I10), with the versions that are held for them: the table `operation`.
///
/// They are read at the first use and not at the start, which does not wait for it: the first caller that repeats a call
/// does.
final class RepeatableCalls {
    private let transaction: GroupTransaction
    private let versions: Versions
    private let configuration: StoreConfiguration
    private var log = OperationLog()

    init(_ transaction: GroupTransaction, _ versions: Versions) {
        (self.transaction, self.versions, configuration) = (transaction, versions, transaction.configuration)
    }

    /// Lets go of the room of forgotten calls; not while any may be taken back.
    func compact() { log.compact() }

    /// What a call gave that was made before with the same id; nil where none was, or longer ago than it is kept.
    func known(
        _ id: RequestID, _ kind: OperationKind, _ arguments: ContentDigest
    ) throws -> KnownOperation? {
        try log.load(transaction)
        guard let place = log.place(id) else { return nil }
        return try transaction.statement("SELECT * FROM @.operation WHERE sequence = ?", place.area)
            .first([.integer(place.sequence)]) { row in
                guard row.isIntact(.operation, checksum: 7) else {
                    throw StoreError.damagedRecord("the call \(id.text)")
                }
                guard !transaction.isOver(row.number(6), seconds: configuration.limits.operationKeptSeconds) else {
                    return nil
                }
                guard row.integer(2) == kind.rawValue, ContentDigest(stored: row.bytes(3)) == arguments else {
                    throw PasteboardError.identifierReused(id)
                }
                return KnownOperation(result: row.number(4), version: row.number(5), area: place.area)
            }
    }

    /// Remembers what a call gave, and forgets calls that are older than they are kept.
    func remember(
        _ call: RepeatableCall, result: UInt64, version: UInt64 = 0, _ area: Area
    ) throws {
        try log.load(transaction)
        try forgetSome()
        // The same id may stand there from a call that is too old to be known.
        let sequence = log.lastSequence + 1
        try transaction.insert(
            "INSERT INTO @.operation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", area,
            [
                .integer(sequence), .text(call.id.text), .integer(call.kind.rawValue),
                .bytes(call.arguments.bytes), .number(result), .number(version), .number(transaction.now),
            ], in: .operation)
        log.add(call.id, sequence, version: version, area, at: transaction.now)
        transaction.onUndo { [self] in log.takeBackAdded() }
    }

    /// Forgets a few calls at a time, so that no call pays for many others.
    private func forgetSome() throws {
        for _ in 0..<2 {
            guard let oldest = log.oldest else { return }
            guard isOver(oldest) || log.count >= configuration.operationsKept else { return }
            try forget(oldest)
        }
    }

    /// Forgets calls that are older than they are kept, so that what was taken with them is let go of although no other
    /// call with an id comes.
    func forgetOver(atMost count: Int) throws {
        try log.load(transaction)
        for _ in 0..<count {
            guard let oldest = log.oldest, isOver(oldest) else { return }
            try forget(oldest)
        }
    }

    /// When the oldest call is forgotten, in milliseconds of uptime; nil where no version is held for any.
    ///
    /// A call counts by the clock of the day. Where that was set back, the end is looked at again after the whole time.
    var nextEnd: UInt64? {
        // Where they cannot be read, who needs one learns why.
        try? log.load(transaction)
        guard log.holding > 0, let oldest = log.oldest else { return nil }
        let kept = configuration.limits.operationKeptSeconds * 1_000
        let age = transaction.now - min(oldest.time, transaction.now)
        return configuration.uptime() + (kept - min(age, kept))
    }

    private func isOver(_ operation: OperationLog.Oldest) -> Bool {
        transaction.isOver(operation.time, seconds: configuration.limits.operationKeptSeconds)
    }

    private func forget(_ oldest: OperationLog.Oldest) throws {
        if oldest.version != 0 { try versions.release(oldest.version, oldest.area) }
        try transaction.write("DELETE FROM @.operation WHERE sequence = ?", oldest.area, [.integer(oldest.sequence)])
        log.forgetOldest()
        transaction.onUndo { [self] in log.takeBackForgotten() }
    }
}
