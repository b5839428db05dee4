private import FoundationEssentials

/// RFC 4648 §4, with padding.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes, or `nil` if ``encode(_:)`` writes them in another way: it has no blanks, and zeros in unused bits.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}
