package import IPCModel

/// One representation that its writer has promised and not given yet.
package struct Promise: Sendable, Hashable {
    /// The item, counted from 0 in the version.
    package let item: UInt32
    package let type: ContentType

    package init(item: UInt32, type: ContentType) { (self.item, self.type) = (item, type) }
}

/// A reader wants what is promised and not there yet: fetch it, ``StoreTransaction/fulfil(_:of:changeCount:with:)``, and
/// read again. No condition for a caller: nobody is answered with it.
package struct UnfulfilledPromises: Error, Sendable, Hashable {
    package let pasteboard: PasteboardName
    /// The version that was read.
    package let changeCount: UInt64
    /// Who has promised: the unique name and the id of its bus, as the write stated them.
    package let writer: String
    /// The change count that the writer's own call gave: the one that it knows. Items that were added since have made
    /// later ones; the numbers of the items are the same.
    package let writtenAt: UInt64
    /// Whether the version is sensitive: what is fetched is not to touch the disk either.
    package let isSensitive: Bool
    package let wanted: [Promise]

    package init(
        pasteboard: PasteboardName, changeCount: UInt64, writer: String, writtenAt: UInt64, isSensitive: Bool,
        wanted: [Promise]
    ) {
        (self.pasteboard, self.changeCount, self.writer) = (pasteboard, changeCount, writer)
        (self.writtenAt, self.isSensitive, self.wanted) = (writtenAt, isSensitive, wanted)
    }
}

extension StoreTransaction {
    /// Puts what a writer has given in the place of its promise; the change count stays.
    ///
    /// False where the version is gone, or the value is there already, or was never promised. `LimitExceeded` where the
    /// version would fit no message any more, or a quota is reached.
    package func fulfil(
        _ promise: Promise, of name: PasteboardName, changeCount: UInt64, with value: Representation.Value
    ) throws -> Bool {
        guard let board = try session.board(name), board.versions.contains(changeCount),
            let version = try session.version(changeCount, of: name, board.area), version.pasteboard == board.id
        else { return false }
        guard let (ordinal, head) = try session.row(of: promise, version, name, board.area) else { return false }
        let type = session.contentType(head.type) ?? promise.type
        let row = try RepresentationRow(Representation(type: type, value: value), item: head.item)
        let entry = RepresentationEntry(row: row, value: value)
        if version.isSensitive {
            try session.fulfilSensitive(ordinal, with: entry, version, board.area)
        } else {
            try session.fulfil(ordinal, with: entry, version, name, board.area)
        }
        return true
    }

    /// What a writer has promised and not given, in all versions that are kept: each promise once, in the latest version
    /// that has it.
    package func promises(by writer: String) throws -> [UnfulfilledPromises] {
        var promises: [UnfulfilledPromises] = []
        for area in Area.allCases {
            for (name, version) in try session.promisingVersions(area) {
                promises += try session.promises(of: version, name, area).filter { $0.writer == writer }
            }
        }
        return promises
    }
}

extension StoreSession {
    /// The versions with promises that pasteboards keep; of those that share a content the longest.
    fileprivate func promisingVersions(_ area: Area) throws -> [(PasteboardName, VersionRow)] {
        var versions: [UInt64: VersionRow] = [:]
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_promises WHERE writer <> '' ORDER BY change_count", area)
        try statement.query { row in
            guard let version = VersionRow(row) else { return }
            versions[version.content] = version
        }
        for count in sensitive.keys {
            guard sensitive[count]?.promisers.isEmpty == false, let version = try intactVersion(count, area) else {
                continue
            }
            versions[count] = version
        }
        return try versions.values.sorted { $0.changeCount < $1.changeCount }.compactMap { version in
            guard let board = try board(key: version.pasteboard, area), board.versions.contains(version.changeCount)
            else { return nil }
            return (board.name, version)
        }
    }

    /// What of a version is promised and not there, by writer.
    fileprivate func promises(
        of version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws -> [UnfulfilledPromises] {
        // A damaged version has none.
        guard let heads = try? heads(of: version, name, area) else { return [] }
        let open = heads.indices.filter { heads[$0].isPromise }
        return Dictionary(grouping: open) { promisers(of: version).part(of: $0) }
            .sorted { $0.value[0] < $1.value[0] }
            .map { unfulfilled($0.value.map { ($0, heads[$0]) }, of: version, name) }
    }

    /// The error for a reader who wants these representations; where several writers have promised them, it names what
    /// the first one has.
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

    /// The row of a promise that is not fulfilled, with its ordinal; the values beside it are not looked at.
    fileprivate func row(
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

    /// How many promises of a version are not fulfilled.
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

// MARK: Fulfilment

extension StoreSession {
    /// All versions that have the content up to the ordinal have the value now, and are charged with it.
    fileprivate func fulfil(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws {
        let versions = try versions(sharing: version.content, area).filter { $0.representations > ordinal }
        for sharing in versions { try checkFit([entry.row.size], on: sharing, name, area) }
        let key = ContentKeys(content: version.content).number(ordinal)
        try transaction.write("DELETE FROM @.representation WHERE id = ?", area, [.number(key)])
        try insert(entry, key: key, area)
        for sharing in versions {
            var changed = sharing
            changed.bytes += entry.row.size
            if try !hasPromises(changed, area) { changed.writer = "" }
            try replace(changed, area)
            let added = Usage(bytes: entry.row.size)
            usage.charge(added, to: sharing.source.application, area)
            try usage.check(with: added, of: sharing.source.application, area)
        }
    }

    fileprivate func fulfilSensitive(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ area: Area
    ) throws {
        guard let content = sensitive[version.changeCount] else { return }
        var entries = content.entries
        entries[ordinal] = entry
        try checkFit(entries.map(\.row.size))
        // The row stays; writing it anew makes this part of the transaction, to be undone with it.
        try replace(version, area)
        try setSensitive(
            SensitiveContent(entries, items: content.itemCount, promisers: content.promisers), of: version)
        try usage.check(with: Usage(bytes: entry.row.size), of: version.source.application, .volatile)
    }

    private func hasPromises(_ version: VersionRow, _ area: Area) throws -> Bool {
        let statement = try transaction.statement(
            "SELECT 1 FROM @.representation WHERE id BETWEEN ? AND ? AND kind = 3 LIMIT 1", area)
        return try statement.first(ContentKeys(content: version.content).range(version.representations)) { _ in true }
            ?? false
    }
}
