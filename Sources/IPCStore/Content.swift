internal import IPCModel

/// One representation as its row has it.
struct RepresentationRow {
    private(set) var item: Int
    let kind: Int64
    let type: String
    let size: UInt64
    let digest: ContentDigest

    /// The columns of the row before the checksum, which stands before the value.
    func columns(key: SQLValue) -> [SQLValue] {
        [key, .number(item), .integer(kind), .text(type), .number(size), .bytes(digest.bytes)]
    }

    init(_ representation: Representation, item: Int) {
        self.item = item
        type = representation.type.text
        size = UInt64(representation.byteCount)
        digest = ContentDigest(of: representation.value)
        kind =
            switch representation.value {
            case .text: 0
            case .bytes: 1
            }
    }

    /// The same as part of another item.
    func numbered(_ item: Int) -> RepresentationRow {
        var row = self
        row.item = item
        return row
    }

    /// Reads the columns before the value; nil where they are damaged.
    init?(_ row: SQLRow) {
        guard row.isIntact(.representation, checksum: 6), let digest = ContentDigest(stored: row.bytes(5)) else {
            return nil
        }
        self.digest = digest
        (item, kind, type, size) = (Int(row.integer(1)), row.integer(2), row.text(3), row.number(4))
    }

    /// The value that stands in the row; nil where it is not the one that was written.
    func value(_ row: SQLRow) -> Representation.Value? {
        let raw = row.raw(7)
        guard UInt64(raw.count) == size, ContentDigest(of: raw) == digest else { return nil }
        return switch kind {
        case 0: .text(String(decoding: raw, as: UTF8.self))
        case 1: .bytes(Array(raw))
        default: nil
        }
    }
}

extension StoreSession {
    /// Writes the representations of items behind those that a content has, and makes the version have them.
    func write(_ rows: [[(RepresentationRow, Representation)]], to version: inout VersionRow, _ area: Area) throws {
        let keys = ContentKeys(content: version.content)
        for (row, representation) in rows.joined() {
            let columns = row.columns(key: keys.key(version.representations))
            try write(
                "INSERT INTO @.representation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", area,
                columns + [Checksum.of(columns, in: .representation), representation.value.column])
            version.representations += 1
            version.bytes += row.size
        }
        version.items += rows.count
    }

    /// The rows that items will have, the first of them with the number `first`.
    func rows(of items: [PasteboardItem], first: Int) -> [[(RepresentationRow, Representation)]] {
        items.enumerated().map { index, item in
            item.representations.map { (RepresentationRow($0, item: first + index), $0) }
        }
    }

    /// A content type as it was written; nil where no type is.
    func contentType(_ text: String) -> ContentType? {
        if let type = contentTypes[text] { return type }
        guard let type = try? ContentType(text) else { return nil }
        // Writers choose the types, so their number is bounded.
        if contentTypes.count >= 1_000 { contentTypes.removeAll() }
        contentTypes[text] = type
        return type
    }
}

extension Representation.Value {
    fileprivate var column: SQLValue {
        switch self {
        case .text(let text): .textBytes(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }
}
