internal import CXXHash

/// The digest of a value: XXH3-128 with seed 0. It finds damage and is no proof against a forger.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    /// The 16 bytes in the canonical order of the XXH3 specification, highest first.
    package let bytes: [UInt8]

    fileprivate init(_ hash: XXH128_hash_t) {
        bytes = withUnsafeBytes(of: (hash.high64.bigEndian, hash.low64.bigEndian)) { Array($0) }
    }

    /// Digests bytes. The corresponding C function is `XXH3_128bits`.
    package init(of content: UnsafeRawBufferPointer) {
        self.init(XXH3_128bits(content.baseAddress, content.count))
    }

    /// Digests bytes.
    package init(of content: [UInt8]) {
        self = content.withUnsafeBytes { ContentDigest(of: $0) }
    }

    /// Digests the bytes of a file, a part of it in memory at a time.
    /// - Throws: `inputOutput` where it cannot be read, or has become shorter.
    package init(of file: ContentFile) throws {
        let stream = try ContentDigestStream()
        try file.readPieces(in: 0..<file.byteCount) { stream.add($0) }
        self = stream.digest
    }

    /// The digest of a value; of a text, of its UTF-8; of a file that came with a digest, that one.
    /// - Throws: `inputOutput` where the file of a value cannot be read.
    package init(of value: Representation.Value) throws {
        switch value {
        case .text(var text): self = text.withUTF8 { ContentDigest(of: UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): self.init(of: bytes)
        case .file(let file): self = try file.knownDigest ?? ContentDigest(of: file)
        }
    }

    /// Takes a stored digest; nil where it has not 16 bytes.
    package init?(stored: [UInt8]) {
        guard stored.count == 16 else { return nil }
        bytes = stored
    }

    /// Reads a digest from the wire; nil where it is none of this kind.
    package init?(wire text: String) {
        let digits = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard text.hasPrefix(Self.prefix), digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            let pair = String(decoding: rest.prefix(2), as: UTF8.self)
            guard !pair.hasPrefix("+"), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.bytes = bytes
    }

    /// The digest on the wire: `xxh128:` and 32 hexadecimal digits.
    package var description: String { Self.prefix + bytes.hexadecimal }

    /// What stands before the digits of this kind of digest.
    package static let prefix = "xxh128:"
}

/// A digest of content that comes in parts.
package final class ContentDigestStream {
    private let state: OpaquePointer

    /// The corresponding C function is `XXH3_createState`.
    /// - Throws: `limitExceeded` where no memory is left.
    package init() throws(IPCError) {
        guard let state = XXH3_createState() else {
            throw IPCError(.limitExceeded, "no memory is left to digest a value; try again later")
        }
        XXH3_128bits_reset(state)
        self.state = state
    }

    deinit { XXH3_freeState(state) }

    /// Adds the next bytes. The corresponding C function is `XXH3_128bits_update`.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        _ = XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
    }

    /// The digest of what was added. The corresponding C function is `XXH3_128bits_digest`.
    package var digest: ContentDigest { ContentDigest(XXH3_128bits_digest(state)) }
}
