private import CXXHash

/// The check that a value is what was written: XXH3 with 128 bits and seed 0, in its canonical form. It finds damage,
/// not forgery.
enum Digest {
    private static let prefix = "xxh128:"

    /// `xxh128:` and 32 lower-case hexadecimal digits.
    static func of(_ value: Representation.Value) -> String {
        switch value {
        case .text(var text): text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes { of($0) }
        }
    }

    private static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
        return prefix + hexadecimal(hash.high64) + hexadecimal(hash.low64)
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// - Throws: `inputOutput` if the value has another digest; one of an unknown kind is not looked at.
    static func check(_ value: Representation.Value, against digest: String) throws(IPCError) {
        guard digest.hasPrefix(prefix) else { return }
        let actual = of(value)
        guard actual == digest else {
            throw IPCError(
                .inputOutput,
                "a value of \(value.byteCount) bytes is damaged: it has the digest \(actual) and was written with \(digest)"
            )
        }
    }

    /// Checks every value; `digests` has the shape of the items.
    static func check(_ items: [PasteboardItem], against digests: [[String]]) throws(IPCError) {
        guard items.map(\.representations.count) == digests.map(\.count) else {
            throw IPCError(.inputOutput, "the digests of the pasteboard's values do not fit its items")
        }
        for (item, row) in zip(items, digests) {
            for (representation, digest) in zip(item.representations, row) {
                try check(representation.value, against: digest)
            }
        }
    }
}
