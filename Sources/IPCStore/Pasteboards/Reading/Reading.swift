package import IPCModel

package struct VersionFacts: Sendable, Hashable {
    package let changeCount: UInt64
    package let source: Source
    /// When the version was written, in milliseconds since 1970.
    package let time: UInt64
    package let itemCount: Int
    /// The size of all values in bytes.
    package let byteCount: UInt64
    package var isSensitive = false
    package var isOnce = false
    /// When the version expires, in milliseconds since 1970; `nil` for never.
    package var expiresAt: UInt64?
    /// The types of each item, even promised ones, as the writer ordered them; empty if they have not been read.
    package var types: [[ContentType]] = []
}

package struct VersionContent: Sendable, Hashable {
    package let facts: VersionFacts
    package let items: [PasteboardItem]
}

package struct RepresentationFacts: Sendable, Hashable {
    package let version: VersionFacts
    /// The size of the value in bytes.
    package let size: UInt64
    package let digest: ContentDigest
}

package struct ReadOptions: Sendable, Hashable {
    /// The types to read; `nil` for all. An item without any of these types is returned empty.
    package var types: [ContentType]?
    /// The change count of the version to read; `nil` for the current one. Taking items throws
    /// `PasteboardError.changeCountMismatch` if the pasteboard has a different change count.
    package var changeCount: UInt64?
    /// The id of a call that takes items. Repeating the call returns the same items for `operation-kept-seconds`.
    package var id: RequestID?

    package init(types: [ContentType]? = nil, changeCount: UInt64? = nil, id: RequestID? = nil) {
        (self.types, self.changeCount, self.id) = (types, changeCount, id)
    }
}

extension StoreTransaction {
    /// Reads the items of a version. A version for one reader is consumed, unless it has none of the wanted types.
    /// - Throws: `PasteboardError.noSuchVersion`; `PasteboardError.damaged` if any part fails its checksum;
    ///   ``UnfulfilledPromises`` if promised values must be fetched first.
    package func items(
        of name: PasteboardName, _ options: ReadOptions = ReadOptions()
    ) throws -> VersionContent {
        var (board, version) = try session.histories.version(options.changeCount, of: name)
        let content = try session.contents.content(of: version, types: options.types, name, board.area)
        if version.isOnce, content.items.contains(where: { !$0.types.isEmpty }) {
            try session.histories.consume(version, of: &board)
        }
        return content
    }

    /// Reads one representation of an item; items are counted from 0. A version for one reader is consumed.
    package func representation(
        _ item: UInt32, _ type: ContentType, of name: PasteboardName, changeCount: UInt64? = nil
    ) throws -> (representation: Representation, facts: RepresentationFacts) {
        var (board, version) = try session.histories.version(changeCount, of: name)
        let count = session.contents.extent(of: version).items
        guard item < count else { throw PasteboardError.noSuchItem(item: item, count: count) }
        let heads = try session.contents.heads(of: version, name, board.area)
        guard
            let ordinal = heads.firstIndex(where: {
                $0.item == Int(item) && session.contents.contentType($0.type) == type
            })
        else { throw PasteboardError.noSuchRepresentation(item: item, type: type.text) }
        if heads[ordinal].isPromise {
            throw session.contents.unfulfilled([(ordinal, heads[ordinal])], of: version, name)
        }
        let value = try session.contents.value(ordinal, of: version, name, board.area)
        let facts = RepresentationFacts(
            version: session.contents.facts(of: version), size: heads[ordinal].size, digest: heads[ordinal].digest)
        if version.isOnce { try session.histories.consume(version, of: &board) }
        return (Representation(type: session.contents.contentType(heads[ordinal].type) ?? type, value: value), facts)
    }

    package func facts(of name: PasteboardName, changeCount: UInt64? = nil) throws -> VersionFacts {
        session.contents.facts(of: try session.histories.version(changeCount, of: name).version)
    }

    package func types(of name: PasteboardName, changeCount: UInt64? = nil) throws -> [[ContentType]] {
        let (board, version) = try session.histories.version(changeCount, of: name)
        return try session.contents.types(of: version, name, board.area)
    }

    /// The intact versions of a pasteboard, oldest first.
    package func versions(of name: PasteboardName) throws -> [VersionFacts] {
        try session.histories.existing(name).versions.compactMap { count in
            do {
                // Looks up the pasteboard for each version, because each reading may remove expired versions.
                let (board, version) = try session.histories.version(count, of: name)
                var facts = session.contents.facts(of: version)
                facts.types = try session.contents.types(of: version, name, board.area)
                return facts
            } catch PasteboardError.damaged, PasteboardError.noSuchVersion {
                return nil
            }
        }
    }

    /// Reads the current items and clears the pasteboard, so that no other reader gets them (I12), not even as an
    /// earlier version. Returns the items and the new change count. An empty pasteboard stays unchanged.
    package func takeItems(
        of name: PasteboardName, _ options: ReadOptions = ReadOptions()
    ) throws -> (content: VersionContent, changeCount: UInt64) {
        let call = options.id.map { RepeatableCall($0, of: name, options) }
        if let call, let known = try session.calls.known(call) {
            return (try takenContent(known, name, options), known.result)
        }
        var (board, version) = try session.histories.version(nil, of: name)
        if let expected = options.changeCount, expected != board.changeCount {
            throw PasteboardError.changeCountMismatch(expected: expected, actual: board.changeCount)
        }
        let content = try session.contents.content(of: version, types: options.types, name, board.area)
        if call != nil { try session.versions.setPins(version.pins + 1, of: version, board.area) }
        if session.contents.extent(of: version).items > 0 { try session.histories.consume(version, of: &board) }
        if let call {
            try session.calls.remember(call, result: board.changeCount, version: version.changeCount, board.area)
        }
        return (content, board.changeCount)
    }

    private func takenContent(
        _ known: RepeatableCalls.Known, _ name: PasteboardName, _ options: ReadOptions
    ) throws -> VersionContent {
        guard let version = try session.versions.version(known.version, of: name, known.area),
            !session.deadlines.isOver(version)
        else { throw PasteboardError.noSuchVersion(name, known.version) }
        return try session.contents.content(of: version, types: options.types, name, known.area)
    }
}
