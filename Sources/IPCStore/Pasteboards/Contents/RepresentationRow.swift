internal import IPCModel

/// A representation without its value, as stored in its row.
struct RepresentationRow {
    static let fileKind: Int64 = 2
    static let promise: Int64 = 3

    private(set) var item: Int
    let kind: Int64
    let type: String
    let size: UInt64
    let digest: ContentDigest

    var isPromise: Bool { kind == Self.promise }

    init(item: Int, kind: Int64, type: String, size: UInt64, digest: ContentDigest) {
        (self.item, self.kind, self.type, self.size, self.digest) = (item, kind, type, size, digest)
    }

    init(promised type: ContentType, item: Int) {
        self.init(item: item, kind: Self.promise, type: type.text, size: 0, digest: ContentDigest(of: []))
    }

    init(_ representation: Representation, item: Int) throws {
        if case .file(let file) = representation.value, file.taken == nil { throw IntakeOutdated(toDisk: nil) }
        self.item = item
        type = representation.type.text
        size = UInt64(representation.byteCount)
        digest = try ContentDigest(of: representation.value)
        kind =
            switch representation.value {
            case .text: 0
            case .bytes: 1
            case .file: Self.fileKind
            }
    }

    func numbered(_ item: Int) -> RepresentationRow {
        var row = self
        row.item = item
        return row
    }

    /// Reads the columns before the value; `nil` if they are damaged.
    init?(_ row: SQLRow) {
        guard row.isIntact(.representation, checksum: 6), let digest = ContentDigest(stored: row.raw(5)) else {
            return nil
        }
        self.digest = digest
        (item, kind, type, size) = (Int(row.integer(1)), row.integer(2), row.text(3), row.number(4))
        guard item < ContentKeys.most, (0...Self.promise).contains(kind) else { return nil }
    }

    /// The value in the row; `nil` if it is damaged.
    func value(_ row: SQLRow) -> Representation.Value? {
        let raw = row.raw(7)
        guard UInt64(raw.count) == size, ContentDigest(of: raw) == digest else { return nil }
        return switch kind {
        case 0: .text(String(decoding: raw, as: UTF8.self))
        case 1: .bytes(Array(raw))
        default: nil
        }
    }

    /// A long value of the row; `nil` if it is damaged.
    func value(_ long: LongValue) throws -> Representation.Value? {
        // Checked before the memory for it is allocated.
        guard UInt64(long.byteCount) == size else { return nil }
        var isIntact = false
        func read(_ memory: UnsafeMutableRawBufferPointer) throws {
            let memory = UnsafeMutableRawBufferPointer(rebasing: memory[..<long.byteCount])
            try long.copy(to: memory)
            isIntact = ContentDigest(of: UnsafeRawBufferPointer(memory)) == digest
        }
        let value: Representation.Value
        switch kind {
        case 0:
            value = .text(
                try String(unsafeUninitializedCapacity: long.byteCount) { memory in
                    try read(UnsafeMutableRawBufferPointer(memory))
                    return long.byteCount
                })
        case 1:
            value = .bytes(
                try Array(unsafeUninitializedCapacity: long.byteCount) { memory, count in
                    try read(UnsafeMutableRawBufferPointer(memory))
                    count = long.byteCount
                })
        default: return nil
        }
        return isIntact ? value : nil
    }
}

struct RepresentationEntry {
    var row: RepresentationRow
    /// The value; `nil` for a promise.
    let value: Representation.Value?

    /// The columns of the row with a key.
    func columns(key: UInt64) -> [SQLValue] {
        var columns: [SQLValue] = [
            .number(key), .number(row.item), .integer(row.kind), .text(row.type), .number(row.size),
            .bytes(row.digest.bytes), .null, value?.column ?? .null,
        ]
        columns[6] = Checksum.of(columns, first: 6, in: .representation)
        return columns
    }

    /// The representations of items: for each item, first those that it has, then those promised for it. Items are
    /// counted from 0. Promises beyond the last item become further items.
    static func all(of items: [PasteboardItem], promises: [[ContentType]]) throws -> [RepresentationEntry] {
        var entries: [RepresentationEntry] = []
        for index in 0..<max(items.count, promises.count) {
            let item = index < items.count ? items[index] : nil
            for representation in item?.representations ?? [] {
                let row = try RepresentationRow(representation, item: index)
                entries.append(RepresentationEntry(row: row, value: representation.value))
            }
            guard index < promises.count else { continue }
            entries += try promised(promises[index], beside: item, number: index)
        }
        return entries
    }

    private static func promised(
        _ types: [ContentType], beside item: PasteboardItem?, number: Int
    ) throws -> [RepresentationEntry] {
        guard item != nil || !types.isEmpty else { throw PasteboardItem.Invalid.empty }
        var seen = Set(item?.types ?? [])
        for type in types where !seen.insert(type).inserted { throw PasteboardItem.Invalid.typeTwice(type) }
        return types.map { RepresentationEntry(row: RepresentationRow(promised: $0, item: number), value: nil) }
    }
}

extension Representation.Value {
    var column: SQLValue {
        switch self {
        case .text(let text): .textBytes(text)
        case .bytes(let bytes): .bytes(bytes)
        case .file: .null
        }
    }
}
