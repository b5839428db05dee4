private import FoundationEssentials
package import IPC

extension JSONValue {
    /// An array of items, each an array of representations with `type` and `text`, or `base64` if they are not UTF-8.
    /// - Parameter most: a file above this number of bytes is shown as its `size`, without content, to save memory.
    package static func items(_ items: [PasteboardItem], most: Int = .max) -> JSONValue {
        .array(items.map { item in .array(item.representations.map { representation($0, most) }) })
    }

    private static func representation(_ representation: Representation, _ most: Int) -> JSONValue {
        let type = Member("type", .string(representation.type.text))
        if case .file(let file) = representation.value, file.byteCount > most {
            return .object([type, Member("size", .count(UInt64(file.byteCount)))])
        }
        if let text = representation.value.string { return .object([type, Member("text", .string(text))]) }
        return .object([type, Member("base64", .string(Base64.encode(representation.value.content)))])
    }
}

/// RFC 4648 §4, with padding.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Decodes a string; `nil` unless ``encode(_:)`` could have returned it (no whitespace, unused bits are 0).
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}
