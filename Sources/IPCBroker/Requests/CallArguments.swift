internal import IPCModel
internal import IPCStore

/// Encodes the arguments of a call as bytes, whose digest distinguishes a repeated call from a different call with the
/// same id. Each argument is written with its name and length, so different calls never give the same bytes.
struct CallArguments {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(Self.usualCount) }

    private static let usualCount = 512

    var digest: ContentDigest { ContentDigest(of: bytes) }

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        append(name)
        append(value)
    }

    /// Adds the digests of values, not the values: a file may not fit into memory, and its digest is usually known.
    mutating func add(_ items: [PasteboardItem]?) throws {
        guard let items else { return }
        append("items")
        for item in items {
            append("item \(item.representations.count)")
            for representation in item.representations {
                append(representation.type.text)
                // Equal bytes give the same digest, inline or in a descriptor. Text is a different kind of value.
                if case .text = representation.value { append("text") } else { append("bytes") }
                try ContentDigest(of: representation.value).bytes.withUnsafeBytes { append($0) }
            }
        }
    }

    private mutating func append(_ part: String) {
        var part = part
        part.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ part: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: UInt64(part.count)) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: part)
    }
}
