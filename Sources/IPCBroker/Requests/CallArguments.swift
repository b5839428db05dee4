internal import IPCModel
internal import IPCStore

/// The arguments of a call as one sequence of bytes, by which a repetition is told from another call with the same id:
/// every argument with its name and length, so that no two calls give the same bytes.
struct CallArguments {
    private var bytes: [UInt8] = []

    var digest: ContentDigest { ContentDigest(of: bytes) }

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        append(name.utf8)
        append(value.utf8)
    }

    /// Values by their digests: what came as a descriptor is not read again, and may be larger than the memory.
    mutating func add(_ items: [PasteboardItem]?) throws {
        guard let items else { return }
        append("items".utf8)
        for item in items {
            append("item \(item.representations.count)".utf8)
            for representation in item.representations {
                append(representation.type.text.utf8)
                // Bytes are the same whether they came in the message or by a descriptor; text is another kind of value.
                if case .text = representation.value { append("text".utf8) } else { append("bytes".utf8) }
                append(try ContentDigest(of: representation.value).bytes)
            }
        }
    }

    private mutating func append(_ part: some Collection<UInt8>) {
        withUnsafeBytes(of: UInt64(part.count)) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: part)
    }
}
