package import IPCModel

/// A representation that its writer has promised but not supplied yet.
package struct Promise: Sendable, Hashable {
    /// The index of the item in its version, counted from 0.
    package let item: UInt32
    package let type: ContentType

    package init(item: UInt32, type: ContentType) { (self.item, self.type) = (item, type) }
}

/// Thrown if a reader wants promised representations. Fetch their values, pass each to
/// ``StoreTransaction/fulfil(_:of:changeCount:with:)``, and read again. This error is never reported to a caller.
package struct UnfulfilledPromises: Error, Sendable, Hashable {
    package let pasteboard: PasteboardName
    package let changeCount: UInt64
    /// The writer's unique name and the id of its bus, as given in the write.
    package let writer: String
    /// The change count that the writer's call created, and the only one that the writer knows. If items were added
    /// later, the version has another change count, but the numbers of the earlier items are the same.
    package let writtenAt: UInt64
    /// Whether the version is sensitive, so that the fetched values must not be written to disk.
    package let isSensitive: Bool
    package let wanted: [Promise]
}

extension StoreTransaction {
    /// Replaces a promise with the value that its writer has supplied. The change count stays the same.
    /// - Returns: false if the version was dropped, or has no such promise.
    /// - Throws: `LimitExceeded` if the version would no longer fit in a message, or would exceed a quota.
    package func fulfil(
        _ promise: Promise, of name: PasteboardName, changeCount: UInt64, with value: Representation.Value
    ) throws -> Bool {
        guard let board = try session.histories.board(name), board.versions.contains(changeCount),
            let version = try session.versions.version(changeCount, of: name, board.area),
            version.pasteboard == board.id
        else { return false }
        return try fulfil(promise, of: version, name, board.area, with: value)
    }

    /// The unfulfilled promises of a writer, each listed once, in the latest version that has it.
    package func promises(by writer: String) throws -> [UnfulfilledPromises] {
        var promises: [UnfulfilledPromises] = []
        for area in Area.allCases {
            for version in try session.versions.promising(area) {
                guard let board = try session.boards.board(key: version.pasteboard, area),
                    board.versions.contains(version.changeCount)
                else { continue }
                promises += try session.contents.promises(of: version, board.name, area).filter { $0.writer == writer }
            }
        }
        return promises
    }

    private func fulfil(
        _ promise: Promise, of version: VersionRow, _ name: PasteboardName, _ area: Area,
        with value: Representation.Value
    ) throws -> Bool {
        let contents = session.contents
        guard let (ordinal, head) = try contents.row(of: promise, version, name, area) else { return false }
        let type = contents.contentType(head.type) ?? promise.type
        let row = try RepresentationRow(Representation(type: type, value: value), item: head.item)
        let entry = RepresentationEntry(row: row, value: value)
        if version.isSensitive {
            try fulfilSensitive(ordinal, with: entry, version, area)
        } else {
            try fulfilShared(ordinal, with: entry, version, name, area)
        }
        return true
    }

    /// Puts the value into all versions that share the promised representation, and charges each version's source.
    private func fulfilShared(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws {
        let (versions, contents, usage) = (session.versions, session.contents, session.usage)
        let sharing = try versions.sharing(version.content, area).filter { $0.representations > ordinal }
        for version in sharing { try session.limits.checkFit([entry.row.size], on: version, name, area) }
        let (key, added) = (ContentKeys(content: version.content).number(ordinal), Usage(bytes: entry.row.size))
        try contents.replace(key, with: entry, area)
        for version in sharing {
            var changed = version
            changed.bytes += entry.row.size
            if try contents.promiseCount(of: changed, area) == 0 { changed.writer = "" }
            try versions.replace(changed, area)
            usage.charge(added, to: version.source.application, area)
        }
        // A check may drop versions to make room, so it comes after all changes.
        for version in sharing { try usage.check(with: added, of: version.source.application, area) }
    }

    private func fulfilSensitive(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ area: Area
    ) throws {
        guard let content = session.sensitive[version.changeCount] else { return }
        var entries = content.entries
        entries[ordinal] = entry
        try session.limits.checkFit(entries.map(\.row.size))
        // Writes the row unchanged, because changes in memory are undone only if the operation has written a row.
        try session.versions.replace(version, area)
        session.sensitive.set(
            try SensitiveContent(entries, items: content.itemCount, promisers: content.promisers), of: version)
        try session.usage.check(with: Usage(bytes: entry.row.size), of: version.source.application, .volatile)
    }
}
