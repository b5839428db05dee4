internal import CXXHash
package import IPCModel

/// The digest of a value: XXH3-128, which finds damage and is no proof against a forger.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes in the canonical order of the XXH3 specification, highest first.
    package let bytes: [UInt8]

    /// Digests bytes. The corresponding C function is `XXH3_128bits`.
    package init(of content: UnsafeRawBufferPointer) {
        let hash = XXH3_128bits(content.baseAddress, content.count)
        bytes = withUnsafeBytes(of: (hash.high64.bigEndian, hash.low64.bigEndian)) { Array($0) }
    }

    /// Digests bytes.
    package init(of content: [UInt8]) {
        self = content.withUnsafeBytes { ContentDigest(of: $0) }
    }

    /// Digests the bytes of a value; of a text, its UTF-8.
    package init(of value: Representation.Value) {
        switch value {
        case .text(var text): self = text.withUTF8 { ContentDigest(of: UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): self.init(of: bytes)
        }
    }

    /// Takes a stored digest; nil where it has not 16 bytes.
    init?(stored: [UInt8]) {
        guard stored.count == 16 else { return nil }
        bytes = stored
    }

    /// The digest on the wire: `xxh128:` and 32 hexadecimal digits.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "xxh128:" + String(decoding: text, as: UTF8.self)
    }
}
