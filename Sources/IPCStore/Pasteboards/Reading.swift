package import IPCModel

/// What is known of a version besides its items.
package struct VersionFacts: Sendable, Hashable {
    package let changeCount: UInt64
    /// Who wrote the version.
    package let source: Source
    /// When it was written, in milliseconds since 1970.
    package let time: UInt64
    /// How many items it has.
    package let itemCount: Int
    /// The size of all values in bytes.
    package let byteCount: UInt64
    /// Whether the content is in memory alone.
    package var isSensitive = false
    /// Whether the first reader of the content consumes it.
    package var isOnce = false
    /// When the version ends, in milliseconds since 1970; nil for never.
    package var expiresAt: UInt64?
    /// The types of each item, promised ones among them; filled by ``StoreTransaction/versions(of:)`` alone.
    package var types: [[ContentType]] = []

    package init(changeCount: UInt64, source: Source, time: UInt64, itemCount: Int, byteCount: UInt64) {
        (self.changeCount, self.source, self.time) = (changeCount, source, time)
        (self.itemCount, self.byteCount) = (itemCount, byteCount)
    }
}

/// The items of a version.
package struct VersionContent: Sendable, Hashable {
    package let facts: VersionFacts
    package let items: [PasteboardItem]
}

/// What is known of a representation besides its value.
package struct RepresentationFacts: Sendable, Hashable {
    /// The version that it belongs to.
    package let version: VersionFacts
    /// The size of the value in bytes.
    package let size: UInt64
    /// The digest of the value.
    package let digest: ContentDigest
}

/// What a reader can ask for.
package struct ReadOptions: Sendable, Hashable {
    /// The types wanted, nil for all; an item that has none of them keeps its place, without any.
    package var types: [ContentType]?
    /// The change count of the version wanted, nil for the current one.
    package var changeCount: UInt64?
    /// Who reads: the source of the empty version where the reader consumes what it reads.
    package var source: Source

    package init(types: [ContentType]? = nil, changeCount: UInt64? = nil, source: Source = .nobody) {
        (self.types, self.changeCount, self.source) = (types, changeCount, source)
    }
}

extension StoreTransaction {
    /// Reads the items of a version. One for a single reader is consumed by that, unless it has none of the types.
    ///
    /// `PasteboardError.noSuchVersion` where the pasteboard does not keep it, `PasteboardError.damaged` where any part
    /// of it fails its checksum; ``UnfulfilledPromises`` where something of it is to be fetched first.
    package func items(
        of name: PasteboardName, _ options: ReadOptions = ReadOptions()
    ) throws -> VersionContent {
        let (board, version) = try session.histories.version(options.changeCount, of: name)
        let content = try session.contents.content(of: version, types: options.types, name, board.area)
        if version.isOnce, content.items.contains(where: { !$0.types.isEmpty }) {
            try session.histories.consume(version, of: board, options.source, at: now)
        }
        return content
    }

    /// Reads one representation of an item, counted from 0. A version for a single reader is consumed by that.
    package func representation(
        _ item: UInt32, _ type: ContentType, of name: PasteboardName, changeCount: UInt64? = nil,
        source: Source = .nobody
    ) throws -> (representation: Representation, facts: RepresentationFacts) {
        let (board, version) = try session.histories.version(changeCount, of: name)
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
        if version.isOnce { try session.histories.consume(version, of: board, source, at: now) }
        return (Representation(type: session.contents.contentType(heads[ordinal].type) ?? type, value: value), facts)
    }

    /// What is known of a version without reading its values.
    package func facts(of name: PasteboardName, changeCount: UInt64? = nil) throws -> VersionFacts {
        session.contents.facts(of: try session.histories.version(changeCount, of: name).version)
    }

    /// The types of each item of a version, in the writer's order.
    package func types(of name: PasteboardName, changeCount: UInt64? = nil) throws -> [[ContentType]] {
        let (board, version) = try session.histories.version(changeCount, of: name)
        return try session.contents.types(of: version, name, board.area)
    }
}

/// One version of a pasteboard in a list.
package struct VersionListing: Sendable, Hashable {
    /// What is known of it, with its types.
    package let facts: VersionFacts

    /// The types of each item in the writer's order, promised ones among them.
    package var types: [[ContentType]] { facts.types }
}

extension StoreTransaction {
    /// The versions that a pasteboard keeps, oldest first, the current one last. One that is damaged is left out.
    package func versions(of name: PasteboardName) throws -> [VersionListing] {
        try session.histories.existing(name).versions.compactMap { count in
            do {
                // The first one may show that another one is over.
                let (board, version) = try session.histories.version(count, of: name)
                var facts = session.contents.facts(of: version)
                facts.types = try session.contents.types(of: version, name, board.area)
                return VersionListing(facts: facts)
            } catch PasteboardError.damaged, PasteboardError.noSuchVersion {
                return nil
            }
        }
    }
}
