import CGLib

/// SHA-256 (FIPS 180-4), computed by GLib (`GChecksum`). swift-crypto would do as well, but takes minutes to build.
package struct SHA256: ~Copyable {
    private let checksum = g_checksum_new(G_CHECKSUM_SHA256)

    package init() {}

    deinit { g_checksum_free(checksum) }

    /// Adds bytes to the content.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, $0.count) }
    }

    /// Returns the 32 bytes of the digest.
    package consuming func digest() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            var length: gsize = 32
            g_checksum_get_digest(checksum, digest.baseAddress, &length)
            count = Int(length)
        }
    }

    /// Returns the 32 bytes of the digest of a text in UTF-8.
    package static func digest(of text: String) -> [UInt8] {
        var hash = SHA256()
        hash.update(text.utf8)
        return hash.digest()
    }
}
