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
    /// The types wanted, nil for all; an item that has none of them is left out.
    package var types: [ContentType]?
    /// The change count of the version wanted, nil for the current one.
    package var changeCount: UInt64?

    package init(types: [ContentType]? = nil, changeCount: UInt64? = nil) {
        (self.types, self.changeCount) = (types, changeCount)
    }
}

extension StoreTransaction {
    /// Reads the items of a version.
    ///
    /// `PasteboardError.noSuchVersion` where the pasteboard does not keep it, `PasteboardError.damaged` where any part
    /// of it fails its checksum.
    package func items(
        of name: PasteboardName, _ options: ReadOptions = ReadOptions()
    ) throws -> VersionContent {
        let (board, version) = try session.keptVersion(options.changeCount, of: name)
        return try session.content(of: version, types: options.types, name, board.area)
    }

    /// Reads one representation of an item, counted from 0.
    package func representation(
        _ item: UInt32, _ type: ContentType, of name: PasteboardName, changeCount: UInt64? = nil
    ) throws -> (representation: Representation, facts: RepresentationFacts) {
        let (board, version) = try session.keptVersion(changeCount, of: name)
        guard item < version.items else {
            throw PasteboardError.noSuchItem(item: item, count: version.items)
        }
        let heads = try session.heads(of: version, name, board.area)
        guard let ordinal = heads.firstIndex(where: { $0.item == Int(item) && session.contentType($0.type) == type })
        else { throw PasteboardError.noSuchRepresentation(item: item, type: type.text) }
        let value = try session.value(ordinal, of: version, name, board.area)
        let facts = RepresentationFacts(
            version: VersionFacts(version), size: heads[ordinal].size, digest: heads[ordinal].digest)
        return (Representation(type: session.contentType(heads[ordinal].type) ?? type, value: value), facts)
    }

    /// What is known of a version without reading its values.
    package func facts(of name: PasteboardName, changeCount: UInt64? = nil) throws -> VersionFacts {
        VersionFacts(try session.keptVersion(changeCount, of: name).version)
    }

    /// The types of each item of a version, in the writer's order.
    package func types(of name: PasteboardName, changeCount: UInt64? = nil) throws -> [[ContentType]] {
        let (board, version) = try session.keptVersion(changeCount, of: name)
        var types = [[ContentType]](repeating: [], count: version.items)
        for head in try session.heads(of: version, name, board.area) {
            guard types.indices.contains(head.item), let type = session.contentType(head.type) else {
                throw PasteboardError.damaged(name, version.changeCount)
            }
            types[head.item].append(type)
        }
        return types
    }
}

extension VersionFacts {
    init(_ version: VersionRow) {
        self.init(
            changeCount: version.changeCount, source: version.source, time: version.time, itemCount: version.items,
            byteCount: version.bytes)
    }
}

extension StoreSession {
    /// A version that a pasteboard keeps; the current one for nil.
    func keptVersion(
        _ count: UInt64?, of name: PasteboardName
    ) throws -> (board: Board, version: VersionRow) {
        let board = try existingBoard(name)
        let wanted = count ?? board.changeCount
        guard board.versions.contains(wanted) else { throw PasteboardError.noSuchVersion(name, wanted) }
        guard let version = try version(wanted, of: name, board.area), version.pasteboard == board.id else {
            throw PasteboardError.damaged(name, wanted)
        }
        return (board, version)
    }

    /// Reads the items of a version and checks every byte of it.
    func content(
        of version: VersionRow, types: [ContentType]?, _ name: PasteboardName, _ area: Area
    ) throws -> VersionContent {
        var items = [[Representation]](repeating: [], count: version.items)
        var ordinal = 0
        let damage = PasteboardError.damaged(name, version.changeCount)
        try query("SELECT * FROM @.representation WHERE id BETWEEN ? AND ?", version, area) { row in
            guard let head = RepresentationRow(row), items.indices.contains(head.item),
                row.number(0) == version.content << 20 | UInt64(ordinal), let type = contentType(head.type)
            else { throw damage }
            ordinal += 1
            guard types?.contains(type) ?? true else { return }
            guard let value = head.value(row) else { throw damage }
            items[head.item].append(Representation(type: type, value: value))
        }
        guard ordinal == version.representations else { throw damage }
        let wanted = items.filter { !$0.isEmpty }
        do {
            return VersionContent(facts: VersionFacts(version), items: try wanted.map { try PasteboardItem($0) })
        } catch {
            throw damage
        }
    }

    /// Reads what is known of the representations of a version without their values.
    func heads(of version: VersionRow, _ name: PasteboardName, _ area: Area) throws -> [RepresentationRow] {
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
        let key = ContentKeys(content: version.content).key(ordinal)
        let value = try statement("SELECT * FROM @.representation WHERE id = ?", area)
            .first([key]) { row in RepresentationRow(row)?.value(row) }
        guard let value else { throw PasteboardError.damaged(name, version.changeCount) }
        return value
    }

    private func query(
        _ sql: StaticString, _ version: VersionRow, _ area: Area, _ body: (SQLRow) throws -> Void
    ) throws {
        guard version.representations > 0 else { return }
        let keys = ContentKeys(content: version.content)
        try statement(sql, area).query(keys.range(version.representations), body)
    }
}
