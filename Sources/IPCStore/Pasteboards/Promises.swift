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
        guard let board = try session.histories.board(name), board.versions.contains(changeCount),
            let version = try session.versions.version(changeCount, of: name, board.area),
            version.pasteboard == board.id
        else { return false }
        return try session.fulfilment.fulfil(promise, of: version, name, board.area, with: value)
    }

    /// What a writer has promised and not given, in all versions that are kept: each promise once, in the latest version
    /// that has it.
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
}

/// Puts values in the place of promises.
struct PromiseFulfilment {
    let versions: Versions
    let contents: Contents
    let sensitive: SensitiveContents
    let usage: UsageTally
    let limits: VersionLimits

    /// - Returns: false where there is no such promise in the version.
    func fulfil(
        _ promise: Promise, of version: VersionRow, _ name: PasteboardName, _ area: Area,
        with value: Representation.Value
    ) throws -> Bool {
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

    /// All versions that have the content up to the ordinal have the value now, and are charged with it.
    private func fulfilShared(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ name: PasteboardName, _ area: Area
    ) throws {
        let sharing = try versions.sharing(version.content, area).filter { $0.representations > ordinal }
        for version in sharing { try limits.checkFit([entry.row.size], on: version, name, area) }
        let key = ContentKeys(content: version.content).number(ordinal)
        try contents.replace(key, with: entry, area)
        for version in sharing {
            var changed = version
            changed.bytes += entry.row.size
            if try !contents.hasPromises(changed, area) { changed.writer = "" }
            try versions.replace(changed, area)
            let added = Usage(bytes: entry.row.size)
            usage.charge(added, to: version.source.application, area)
            try usage.check(with: added, of: version.source.application, area)
        }
    }

    private func fulfilSensitive(
        _ ordinal: Int, with entry: RepresentationEntry, _ version: VersionRow, _ area: Area
    ) throws {
        guard let content = sensitive[version.changeCount] else { return }
        var entries = content.entries
        entries[ordinal] = entry
        try limits.checkFit(entries.map(\.row.size))
        // The row stays; writing it anew makes this part of the transaction, to be undone with it.
        try versions.replace(version, area)
        sensitive.set(
            try SensitiveContent(entries, items: content.itemCount, promisers: content.promisers), of: version)
        try usage.check(with: Usage(bytes: entry.row.size), of: version.source.application, .volatile)
    }
}
