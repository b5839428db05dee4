internal import IPCModel

/// A reply as bytes: for each item the count of its representations, and for each of these its type, kind and value
/// (``PackedFields``).
struct PackedItems {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Packs items; nil if there are none, or their values have more than `most` bytes.
    init?(_ items: [PasteboardItem], most: UInt64) {
        guard !items.isEmpty, items.reduce(0, { $0 + $1.byteCount }) <= most else { return nil }
        bytes = []
        for item in items {
            bytes.append(number: UInt64(item.representations.count))
            for representation in item.representations {
                bytes.append(field: representation.type.text)
                switch representation.value {
                case .text(let text):
                    bytes.append(number: 0)
                    bytes.append(field: text)
                case .bytes(let value):
                    bytes.append(number: 1)
                    bytes.append(field: value)
                case .file(let file):
                    // A file that cannot be read has no bytes to keep.
                    bytes.append(number: 1)
                    bytes.append(field: (try? file.bytes()) ?? [])
                }
            }
        }
    }

    /// Nil if the bytes are malformed.
    var items: [PasteboardItem]? {
        var fields = PackedFields(bytes)
        var items: [PasteboardItem] = []
        while !fields.isAtEnd {
            guard let count = fields.number(), count <= UInt64(fields.count) else { return nil }
            var representations: [Representation] = []
            for _ in 0..<count {
                guard let representation = Self.representation(&fields) else { return nil }
                representations.append(representation)
            }
            guard let item = try? PasteboardItem(representations) else { return nil }
            items.append(item)
        }
        return items
    }

    private static func representation(_ fields: inout PackedFields) -> Representation? {
        guard let name = fields.text(), let type = try? ContentType(name), let kind = fields.number(),
            let value = fields.field()
        else { return nil }
        return switch kind {
        case 0: Representation(type: type, value: .text(String(decoding: value, as: UTF8.self)))
        case 1: Representation(type: type, value: .bytes(Array(value)))
        default: nil
        }
    }
}
