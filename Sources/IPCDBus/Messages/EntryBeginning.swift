internal import Glibc

/// The first bytes of an entry in an `a{sv}` dictionary, little-endian: its key and, usually, the type of its value. An
/// entry starts at a multiple of 8, so these bytes are the same in every message.
package struct EntryBeginning: Sendable {
    let bytes: [UInt8]
    /// The length of the type at the end of the bytes; `nil` if they contain no type, so the value may have any type.
    let typeLength: Int?
    /// The first eight bytes: the length of the key and its first characters. They differ for most keys.
    package let mark: UInt64

    /// - Precondition: without a type, the key has at least three characters.
    package init(key: String, type: Signature?) {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: UInt32(key.utf8.count).littleEndian) { bytes += $0 }
        bytes += Array(key.utf8) + [0]
        if let type { bytes += [UInt8(type.text.utf8.count)] + Array(type.text.utf8) + [0] }
        self.bytes = bytes
        typeLength = type?.text.utf8.count
        precondition(bytes.count >= 8, "“\(key)” is too short")
        mark = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    package var hasType: Bool { typeLength != nil }

    /// Whether `other` is longer and starts with these bytes.
    func isBeginning(of other: UnsafeRawBufferPointer) -> Bool {
        guard let start = other.baseAddress, other.count > bytes.count else { return false }
        return bytes.withUnsafeBytes { memcmp(start, $0.baseAddress!, $0.count) == 0 }
    }
}
