internal import IPCModel

/// Items as bytes, for a reply that is kept with its request.
///
/// For each item the number of its representations, for each of those its type, its kind and its value; numbers have
/// eight bytes, lowest first, and texts and values their length before them.
struct PackedItems {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Packs items; nil where there are none, or their values have more than so many bytes.
    init?(_ items: [PasteboardItem], most: UInt64) {
        guard !items.isEmpty, items.reduce(0, { $0 + $1.byteCount }) <= most else { return nil }
        bytes = []
        for item in items {
            append(item.representations.count)
            for representation in item.representations {
                append(Array(representation.type.text.utf8))
                switch representation.value {
                case .text(let text):
                    append(0)
                    append(Array(text.utf8))
                case .bytes(let value):
                    append(1)
                    append(value)
                case .file(let file):
                    // A file that cannot be read has no bytes to keep.
                    append(1)
                    append((try? file.bytes()) ?? [])
                }
            }
        }
    }

    /// The items; nil where the bytes are not such as `init(_:most:)` makes.
    var items: [PasteboardItem]? {
        var rest = bytes[...]
        var items: [PasteboardItem] = []
        while !rest.isEmpty {
            guard let count = Self.number(&rest), count <= UInt64(rest.count) else { return nil }
            var representations: [Representation] = []
            for _ in 0..<count {
                guard let representation = Self.representation(&rest) else { return nil }
                representations.append(representation)
            }
            guard let item = try? PasteboardItem(representations) else { return nil }
            items.append(item)
        }
        return items
    }

    private mutating func append(_ number: Int) {
        withUnsafeBytes(of: UInt64(number).littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ field: [UInt8]) {
        append(field.count)
        bytes += field
    }

    private static func representation(_ rest: inout ArraySlice<UInt8>) -> Representation? {
        guard let name = field(&rest), let type = try? ContentType(String(decoding: name, as: UTF8.self)),
            let kind = number(&rest), let value = field(&rest)
        else { return nil }
        return switch kind {
        case 0: Representation(type: type, value: .text(String(decoding: value, as: UTF8.self)))
        case 1: Representation(type: type, value: .bytes(Array(value)))
        default: nil
        }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        return number
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&rest), count <= UInt64(rest.count) else { return nil }
        let field = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return field
    }
}
