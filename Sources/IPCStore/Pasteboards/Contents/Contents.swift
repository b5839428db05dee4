internal import IPCModel

/// The table `representation`: the contents of versions, with their files and secrets.
final class Contents {
    private let transaction: GroupTransaction
    private let files: StoredFiles
    private let known: KnownVersions
    private let sensitive: SensitiveContents

    init(
        _ transaction: GroupTransaction, _ files: StoredFiles, _ known: KnownVersions, _ sensitive: SensitiveContents
    ) {
        (self.transaction, self.files, self.known, self.sensitive) = (transaction, files, known, sensitive)
    }

    // MARK: Writing

    func write(_ entries: [RepresentationEntry], to version: inout VersionRow, _ area: Area) throws {
        let (keys, first) = (ContentKeys(content: version.content), version.representations)
        try insert(entries, first: keys.number(first), area)
        version.representations += entries.count
        version.bytes += entries.reduce(0) { $0 + $1.row.size }
    }

    /// Inserts rows whose keys are consecutive.
    private func insert(_ entries: [RepresentationEntry], first: UInt64, _ area: Area) throws {
        guard !entries.isEmpty else { return }
        let last = first + UInt64(entries.count - 1)
        let insert = try transaction.statement(
            forRows: "INSERT INTO @.representation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", area,
            undoneBy: Self.delete, { [.number(first), .number(last)] })
        for (key, entry) in zip(first...last, entries) {
            try insert.run(entry.columns(key: key))
            if let value = entry.value { try files.attach(value, key: key, area) }
        }
    }

    private static let delete: StaticString = "DELETE FROM @.representation WHERE id BETWEEN ? AND ?"

    func replace(_ key: UInt64, with entry: RepresentationEntry, _ area: Area) throws {
        try transaction.write(Self.delete, area, [.number(key), .number(key)])
        try insert([entry], first: key, area)
    }

    /// The content type that a string names; `nil` if it names none.
    func contentType(_ text: String) -> ContentType? { try? ContentType(text) }

    // MARK: Overwriting

    /// Replaces the representations of the oldest version by those of a new one, whose content is `content`.
    func overwrite(_ oldest: KnownVersion, with entries: [RepresentationEntry], _ content: UInt64) throws {
        let (keys, oldKeys) = (ContentKeys(content: content), ContentKeys(content: oldest.row.content))
        for (ordinal, entry) in entries.enumerated() {
            let (key, oldKey) = (keys.number(ordinal), oldKeys.number(ordinal))
            try transaction.write(
                Self.overwrite, oldest.area, Self.columnsOfOverwrite(entry, key: key, at: oldKey),
                undoneBy: Self.overwrite, { Self.columnsOfOverwrite(oldest.entries[ordinal], key: oldKey, at: key) })
        }
    }

    private static let overwrite: StaticString = """
        UPDATE @.representation SET id = ?1, item = ?2, kind = ?3, type = ?4, size = ?5, digest = ?6, checksum = ?7,
        value = ?8 WHERE id = ?9
        """

    private static func columnsOfOverwrite(_ entry: RepresentationEntry, key: UInt64, at earlier: UInt64) -> [SQLValue]
    {
        entry.columns(key: key) + [.number(earlier)]
    }

    // MARK: Reading

    /// A long value is null in these rows, and read as a ``LongValue``.
    private static let select: StaticString = """
        SELECT id, item, kind, type, size, digest, checksum, iif(size <= 65536, value, NULL) FROM @.representation
        WHERE id BETWEEN ? AND ?
        """

    struct Extent {
        var items = 0
        var representations = 0
        var bytes: UInt64 = 0
    }

    func extent(of version: VersionRow) -> Extent {
        guard let content = sensitive[version.changeCount] else {
            return Extent(items: version.items, representations: version.representations, bytes: version.bytes)
        }
        return Extent(
            items: content.itemCount, representations: content.representationCount, bytes: content.byteCount)
    }

    func facts(of version: VersionRow) -> VersionFacts {
        let extent = extent(of: version)
        return VersionFacts(
            changeCount: version.changeCount, source: version.source, time: version.time, itemCount: extent.items,
            byteCount: extent.bytes, isSensitive: version.isSensitive, isOnce: version.isOnce,
            expiresAt: version.expiresAt)
    }

    func types(of version: VersionRow, _ name: PasteboardName, _ area: Area) throws -> [[ContentType]] {
        var types = [[ContentType]](repeating: [], count: extent(of: version).items)
        for head in try heads(of: version, name, area) {
            guard types.indices.contains(head.item), let type = contentType(head.type) else {
                throw PasteboardError.damaged(name, version.changeCount)
            }
            types[head.item].append(type)
        }
        return types
    }

    /// Reads the items of a version, and checks every byte.
    func content(
        of version: VersionRow, types: [ContentType]?, _ name: PasteboardName, _ area: Area
    ) throws -> VersionContent {
        if version.isSensitive { return try sensitiveContent(of: version, types: types, name) }
        if types == nil, let known = known.version(version, area) {
            return VersionContent(facts: facts(of: version), items: known.items)
        }
        var items = [[Representation]](repeating: [], count: version.items)
        var (ordinal, promised): (Int, [(Int, RepresentationRow)]) = (0, [])
        let damage = PasteboardError.damaged(name, version.changeCount)
        try query(Self.select, version, area) { row in
            guard let head = RepresentationRow(row), items.indices.contains(head.item),
                row.number(0) == version.content << 20 | UInt64(ordinal), let type = contentType(head.type)
            else { throw damage }
            ordinal += 1
            guard types?.contains(type) ?? true else { return }
            if head.isPromise { return promised.append((ordinal - 1, head)) }
            guard let value = try value(head, row, area) else { throw damage }
            items[head.item].append(Representation(type: type, value: value))
        }
        guard ordinal == version.representations else { throw damage }
        guard promised.isEmpty else { throw unfulfilled(promised, of: version, name) }
        do {
            return VersionContent(facts: facts(of: version), items: try items.map { try PasteboardItem(read: $0) })
        } catch {
            throw damage
        }
    }

    /// The items of a sensitive version; none after a restart, because they were only in memory.
    private func sensitiveContent(
        of version: VersionRow, types: [ContentType]?, _ name: PasteboardName
    ) throws -> VersionContent {
        let content = sensitive[version.changeCount]
        var items = [[Representation]](repeating: [], count: content?.itemCount ?? 0)
        var promised: [(Int, RepresentationRow)] = []
        for (ordinal, entry) in (content?.entries ?? []).enumerated() {
            guard let type = contentType(entry.row.type), types?.contains(type) ?? true else { continue }
            if let value = entry.value {
                items[entry.row.item].append(Representation(type: type, value: try handedOut(value)))
            } else {
                promised.append((ordinal, entry.row))
            }
        }
        guard promised.isEmpty else { throw unfulfilled(promised, of: version, name) }
        return VersionContent(
            facts: facts(of: version), items: try items.map { try PasteboardItem(read: $0) })
    }

    /// A value held in memory, ready to be passed to a reader: each reader gets its own open file.
    private func handedOut(_ value: Representation.Value) throws -> Representation.Value {
        guard case .file(let file) = value else { return value }
        guard let copy = file.reopened() else {
            throw IPCError(.limitExceeded, "the broker has no file descriptor left; try again later")
        }
        return .file(copy)
    }

    /// The representations of a version, without their values.
    func heads(of version: VersionRow, _ name: PasteboardName, _ area: Area) throws -> [RepresentationRow] {
        if version.isSensitive { return sensitive[version.changeCount]?.entries.map(\.row) ?? [] }
        if let known = known.version(version, area) { return known.entries.map(\.row) }
        var heads: [RepresentationRow] = []
        try query(
            "SELECT id, item, kind, type, size, digest, checksum FROM @.representation WHERE id BETWEEN ? AND ?",
            version, area
        ) { row in
            guard let head = RepresentationRow(row), row.number(0) & 0xF_FFFF == UInt64(heads.count) else {
                throw PasteboardError.damaged(name, version.changeCount)
            }
            heads.append(head)
        }
        guard heads.count == version.representations else {
            throw PasteboardError.damaged(name, version.changeCount)
        }
        return heads
    }

    /// The value of a row, with a new descriptor if it is a file; `nil` if the value is damaged.
    private func value(_ head: RepresentationRow, _ row: SQLRow, _ area: Area) throws -> Representation.Value? {
        if head.kind == RepresentationRow.fileKind {
            return try files.open(head, key: row.number(0), area).map { .file($0) }
        }
        guard !head.isPromise, row.isNull(7) else { return head.value(row) }
        return try LongValue("value", of: "representation", row: row.number(0), area, in: transaction.database)
            .flatMap { try head.value($0) }
    }

    /// The value in the row with a key; `nil` if the row or the value is damaged or missing.
    func value(_ key: SQLValue, _ area: Area) throws -> Representation.Value? {
        try transaction.statement(Self.select, area)
            .first([key, key]) { row in try RepresentationRow(row).flatMap { try value($0, row, area) } }
    }

    func value(
        _ ordinal: Int, of version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> Representation.Value {
        if version.isSensitive {
            guard let value = sensitive[version.changeCount]?.entries[ordinal].value else {
                throw PasteboardError.noSuchVersion(name, version.changeCount)
            }
            return try handedOut(value)
        }
        if let value = known.version(version, area)?.entries[ordinal].value { return value }
        guard let value = try value(ContentKeys(content: version.content).key(ordinal), area) else {
            throw PasteboardError.damaged(name, version.changeCount)
        }
        return value
    }

    private func query(
        _ sql: StaticString, _ version: VersionRow, _ area: Area, _ body: (SQLRow) throws -> Void
    ) throws {
        guard version.representations > 0 else { return }
        let keys = ContentKeys(content: version.content)
        try transaction.statement(sql, area).query(keys.range(version.representations), body)
    }

    /// The representations of a version with their values, for use in another version in memory.
    func entries(of version: VersionRow, _ name: PasteboardName, _ area: Area) throws -> [RepresentationEntry] {
        if version.isSensitive { return sensitive[version.changeCount]?.entries ?? [] }
        return try heads(of: version, name, area).enumerated().map { ordinal, row in
            let value: Representation.Value? =
                switch row.kind {
                case RepresentationRow.promise: nil
                case RepresentationRow.fileKind: .file(try heldFile(ordinal, of: version, name, area))
                default: try self.value(ordinal, of: version, name, area)
                }
            return RepresentationEntry(row: row, value: value)
        }
    }

    /// A file of a version, as the store holds it in memory.
    /// - Throws: `InvalidArguments` if the file is on disk, because no operation can copy it from there.
    private func heldFile(
        _ ordinal: Int, of version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> ContentFile {
        guard area == .volatile else {
            throw IPCError(
                .invalidArguments,
                "a secret cannot be added to a version with large values on disk; add it to another pasteboard, "
                    + "or replace all items in one call")
        }
        guard let file = files.held(ContentKeys(content: version.content).number(ordinal)) else {
            throw PasteboardError.damaged(name, version.changeCount)
        }
        return file
    }

    // MARK: Promises

    func promises(
        of version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> [UnfulfilledPromises] {
        // A damaged version counts as having no promises.
        guard let heads = try? heads(of: version, name, area) else { return [] }
        let open = heads.indices.filter { heads[$0].isPromise }
        return Dictionary(grouping: open) { promisers(of: version).part(of: $0) }
            .sorted { $0.value[0] < $1.value[0] }
            .map { unfulfilled($0.value.map { ($0, heads[$0]) }, of: version, name) }
    }

    /// The error for a reader that needs promised representations. It lists only those that were promised in the same
    /// call as the first one.
    func unfulfilled(
        _ wanted: [(ordinal: Int, row: RepresentationRow)], of version: VersionRow, _ name: PasteboardName
    ) -> UnfulfilledPromises {
        let promisers = promisers(of: version)
        let part = wanted.first.flatMap { promisers.part(of: $0.ordinal) }
        let promises = wanted.filter { promisers.part(of: $0.ordinal) == part }.compactMap { wanted in
            contentType(wanted.row.type).map { Promise(item: UInt32(wanted.row.item), type: $0) }
        }
        return UnfulfilledPromises(
            pasteboard: name, changeCount: version.changeCount, writer: part?.writer ?? "",
            writtenAt: part?.changeCount ?? version.changeCount, isSensitive: version.isSensitive, wanted: promises)
    }

    func row(
        of promise: Promise, _ version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> (ordinal: Int, row: RepresentationRow)? {
        func isMeant(_ row: RepresentationRow) -> Bool {
            row.isPromise && row.item == Int(promise.item) && contentType(row.type) == promise.type
        }
        guard !version.isSensitive else {
            let rows = sensitive[version.changeCount]?.entries.map(\.row) ?? []
            return rows.firstIndex(where: isMeant).map { ($0, rows[$0]) }
        }
        guard version.representations > 0 else { return nil }
        let statement = try transaction.statement(
            """
            SELECT id, item, kind, type, size, digest, checksum FROM @.representation
            WHERE id BETWEEN ? AND ? AND kind = 3 AND item = ?
            """, area)
        let keys = ContentKeys(content: version.content).range(version.representations)
        var found: (ordinal: Int, row: RepresentationRow)?
        try statement.query(keys + [.integer(Int64(promise.item))]) { row in
            guard let head = RepresentationRow(row) else { throw PasteboardError.damaged(name, version.changeCount) }
            if found == nil, isMeant(head) { found = (Int(row.number(0) & 0xF_FFFF), head) }
        }
        return found
    }

    func promiseCount(of version: VersionRow, _ area: Area) throws -> UInt64 {
        guard !version.isSensitive else {
            return UInt64(sensitive[version.changeCount]?.entries.count { $0.row.isPromise } ?? 0)
        }
        guard !version.writer.isEmpty, version.representations > 0 else { return 0 }
        let statement = try transaction.statement(
            "SELECT count(*) FROM @.representation WHERE id BETWEEN ? AND ? AND kind = 3", area)
        let keys = ContentKeys(content: version.content).range(version.representations)
        return try statement.first(keys) { $0.number(0) } ?? 0
    }

    func promisers(of version: VersionRow) -> Promisers {
        sensitive[version.changeCount]?.promisers ?? Promisers(text: version.writer)
    }
}
