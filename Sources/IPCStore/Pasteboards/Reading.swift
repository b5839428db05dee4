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
        let (board, version) = try session.keptVersion(options.changeCount, of: name)
        let content = try session.content(of: version, types: options.types, name, board.area)
        if version.isOnce, content.items.contains(where: { !$0.types.isEmpty }) {
            try session.consume(version, of: board, options.source, at: now)
        }
        return content
    }

    /// Reads one representation of an item, counted from 0. A version for a single reader is consumed by that.
    package func representation(
        _ item: UInt32, _ type: ContentType, of name: PasteboardName, changeCount: UInt64? = nil,
        source: Source = .nobody
    ) throws -> (representation: Representation, facts: RepresentationFacts) {
        let (board, version) = try session.keptVersion(changeCount, of: name)
        let count = session.extent(of: version).items
        guard item < count else { throw PasteboardError.noSuchItem(item: item, count: count) }
        let heads = try session.heads(of: version, name, board.area)
        guard let ordinal = heads.firstIndex(where: { $0.item == Int(item) && session.contentType($0.type) == type })
        else { throw PasteboardError.noSuchRepresentation(item: item, type: type.text) }
        if heads[ordinal].isPromise { throw session.unfulfilled([(ordinal, heads[ordinal])], of: version, name) }
        let value = try session.value(ordinal, of: version, name, board.area)
        let facts = RepresentationFacts(
            version: session.facts(of: version), size: heads[ordinal].size, digest: heads[ordinal].digest)
        if version.isOnce { try session.consume(version, of: board, source, at: now) }
        return (Representation(type: session.contentType(heads[ordinal].type) ?? type, value: value), facts)
    }

    /// What is known of a version without reading its values.
    package func facts(of name: PasteboardName, changeCount: UInt64? = nil) throws -> VersionFacts {
        session.facts(of: try session.keptVersion(changeCount, of: name).version)
    }

    /// The types of each item of a version, in the writer's order.
    package func types(of name: PasteboardName, changeCount: UInt64? = nil) throws -> [[ContentType]] {
        let (board, version) = try session.keptVersion(changeCount, of: name)
        return try session.types(of: version, name, board.area)
    }
}

extension StoreSession {
    func facts(of version: VersionRow) -> VersionFacts {
        let extent = extent(of: version)
        var facts = VersionFacts(
            changeCount: version.changeCount, source: version.source, time: version.time, itemCount: extent.items,
            byteCount: extent.bytes)
        (facts.isSensitive, facts.isOnce, facts.expiresAt) = (version.isSensitive, version.isOnce, version.expiresAt)
        return facts
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

    /// A version that a pasteboard keeps; the current one for nil.
    func keptVersion(
        _ count: UInt64?, of name: PasteboardName
    ) throws -> (board: Board, version: VersionRow) {
        let board = try existingBoard(name)
        let wanted = count ?? board.changeCount
        guard board.versions.contains(wanted) else { throw PasteboardError.noSuchVersion(name, wanted) }
        if let known = known.version(wanted, of: board) { return (board, known.row) }
        guard let version = try version(wanted, of: name, board.area), version.pasteboard == board.id else {
            throw PasteboardError.damaged(name, wanted)
        }
        if isOver(version) {
            _ = try end([wanted], of: board)
            return try keptVersion(count, of: name)
        }
        return (board, version)
    }

    /// Reads the items of a version and checks every byte of it.
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
        try query("SELECT * FROM @.representation WHERE id BETWEEN ? AND ?", version, area) { row in
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

    /// The items of a sensitive version; none where they are gone.
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

    /// A value that is held in memory, for a reader: each gets an open file of its own.
    private func handedOut(_ value: Representation.Value) throws -> Representation.Value {
        guard case .file(let file) = value else { return value }
        guard let copy = file.reopened() else {
            throw IPCError(.limitExceeded, "the broker has no file descriptor left; try again later")
        }
        return .file(copy)
    }

    /// Reads what is known of the representations of a version without their values.
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

    /// Reads one value of a version.
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
        let key = ContentKeys(content: version.content).key(ordinal)
        let value = try transaction.statement("SELECT * FROM @.representation WHERE id = ?", area)
            .first([key]) { row in try RepresentationRow(row).flatMap { try self.value($0, row, area) } }
        guard let value else { throw PasteboardError.damaged(name, version.changeCount) }
        return value
    }

    private func query(
        _ sql: StaticString, _ version: VersionRow, _ area: Area, _ body: (SQLRow) throws -> Void
    ) throws {
        guard version.representations > 0 else { return }
        let keys = ContentKeys(content: version.content)
        try transaction.statement(sql, area).query(keys.range(version.representations), body)
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
        try session.existingBoard(name).versions.compactMap { count in
            do {
                // The first one may show that another one is over.
                let (board, version) = try session.keptVersion(count, of: name)
                var facts = session.facts(of: version)
                facts.types = try session.types(of: version, name, board.area)
                return VersionListing(facts: facts)
            } catch PasteboardError.damaged, PasteboardError.noSuchVersion {
                return nil
            }
        }
    }
}
