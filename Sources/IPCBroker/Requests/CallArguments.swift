internal import IPCModel
internal import IPCStore

/// The arguments of a call as one sequence of bytes, which distinguishes a repeated call from another call with the same
/// id. Each argument has its name and length, so no two calls give the same bytes.
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

    /// Values by their digests: the content of a descriptor is not read again, and may be larger than the memory.
    mutating func add(_ items: [PasteboardItem]?) throws {
        guard let items else { return }
        append("items")
        for item in items {
            append("item \(item.representations.count)")
            for representation in item.representations {
                append(representation.type.text)
                // Bytes in the message and in a descriptor are the same; text is another kind of value.
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
