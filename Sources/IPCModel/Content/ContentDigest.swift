internal import CXXHash

/// The digest of a value: XXH3-128 with seed 0. It detects damage, but not forgery.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    fileprivate init(_ hash: XXH128_hash_t) { (high, low) = (hash.high64, hash.low64) }

    /// The 16 bytes in the canonical order of the XXH3 specification, most significant byte first.
    package var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

    /// Digests bytes in memory with `XXH3_128bits`.
    package init(of content: UnsafeRawBufferPointer) {
        self.init(XXH3_128bits(content.baseAddress, content.count))
    }

    package init(of content: [UInt8]) { self = content.withUnsafeBytes { ContentDigest(of: $0) } }

    /// Digests the bytes of a file, reading one piece at a time.
    /// - Throws: `inputOutput` if the file cannot be read, or has become shorter.
    package init(of file: ContentFile) throws {
        let stream = try ContentDigestStream()
        try file.readPieces(in: 0..<file.byteCount) { stream.add($0) }
        self = stream.digest
    }

    /// Digests text (as UTF-8), bytes or a file. A file whose digest is already known is not read.
    /// - Throws: `inputOutput` if the file of a value cannot be read.
    package init(of value: Representation.Value) throws {
        switch value {
        case .text(var text): self = text.withUTF8 { ContentDigest(of: UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): self.init(of: bytes)
        case .file(let file): self = try file.knownDigest ?? ContentDigest(of: file)
        }
    }

    /// Creates a digest from its stored bytes; `nil` unless there are exactly 16.
    package init?(stored: UnsafeRawBufferPointer) {
        guard stored.count == 16 else { return nil }
        high = UInt64(bigEndian: stored.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: stored.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Parses a digest in the form of ``description``, also in upper-case digits; `nil` if the form is wrong.
    package init?(wire text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let digits = text.dropFirst(Self.prefix.count)
        guard let bytes = [UInt8](hexadecimal: String(digits).asciiLowercased) else { return nil }
        guard let digest = bytes.withUnsafeBytes({ ContentDigest(stored: $0) }) else { return nil }
        self = digest
    }

    /// The digest as it is sent: `xxh128:` and 32 hexadecimal digits.
    package var description: String { Self.prefix + bytes.hexadecimal }

    package static let prefix = "xxh128:"
}

/// Computes the digest of content that arrives in parts.
package final class ContentDigestStream {
    private let state: OpaquePointer

    /// - Throws: `limitExceeded` if `XXH3_createState` finds too little memory.
    package init() throws(IPCError) {
        guard let state = XXH3_createState() else {
            throw IPCError(.limitExceeded, "no memory is left to digest a value; try again later")
        }
        XXH3_128bits_reset(state)
        self.state = state
    }

    deinit { XXH3_freeState(state) }

    package func add(_ bytes: UnsafeRawBufferPointer) {
        _ = XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes added so far, from `XXH3_128bits_digest`.
    package var digest: ContentDigest { ContentDigest(XXH3_128bits_digest(state)) }
}
