internal import IPCModel

/// A reply as bytes: for each item, the number of its representations, and for each of these its type, kind and value
/// (``PackedFields``).
extension [PasteboardItem] {
    /// Packs the items; `nil` if there are none, or if their values have more than `most` bytes.
    func packed(most: UInt64) -> [UInt8]? {
        guard !isEmpty, reduce(0, { $0 + $1.byteCount }) <= most else { return nil }
        var bytes: [UInt8] = []
        for item in self {
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
                    // If the file cannot be read, the value is stored without bytes.
                    bytes.append(number: 1)
                    bytes.append(field: (try? file.bytes()) ?? [])
                }
            }
        }
        return bytes
    }

    init?(packed bytes: [UInt8]) {
        self = []
        var fields = PackedFields(bytes)
        while !fields.isAtEnd {
            guard let count = fields.number(), count <= UInt64(fields.count) else { return nil }
            var representations: [Representation] = []
            for _ in 0..<count {
                guard let representation = Representation(packed: &fields) else { return nil }
                representations.append(representation)
            }
            guard let item = try? PasteboardItem(representations) else { return nil }
            append(item)
        }
    }
}

extension Representation {
    fileprivate init?(packed fields: inout PackedFields) {
        guard let name = fields.text(), let type = try? ContentType(name), let kind = fields.number(),
            let value = fields.field()
        else { return nil }
        switch kind {
        case 0: self.init(type: type, value: .text(String(decoding: value, as: UTF8.self)))
        case 1: self.init(type: type, value: .bytes(Array(value)))
        default: return nil
        }
    }
}
