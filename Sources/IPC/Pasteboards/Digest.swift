internal import IPCDBus

/// Compares a value with its digest. It finds damage, not forgery.
enum Digest {
    /// Checks a value; a digest of an unknown kind is ignored.
    /// - Throws: `inputOutput` if the value has another digest.
    static func check(_ value: Representation.Value, against digest: String) throws(IPCError) {
        guard digest.hasPrefix(ContentDigest.prefix) else { return }
        let actual = if let digest = mapped(value) { digest } else { try of(value) }
        guard actual == digest else {
            throw IPCError(
                .inputOutput,
                "a value of \(value.byteCount) bytes is damaged: it has the digest \(actual) and was written with \(digest)"
            )
        }
    }

    /// The writer of a larger value also sends its digest.
    static let statedBytes = 1 << 20

    /// The digest of a large sealed file, which stays mapped for the program to read. Other files are read, because a
    /// failure is then an error and no signal.
    private static func mapped(_ value: Representation.Value) -> String? {
        guard case .file(let file) = value, file.byteCount > statedBytes, Descriptor.isSealed(file.descriptor) else {
            return nil
        }
        file.keepMapped()
        guard let bytes = file.mappedBytes else { return nil }
        let half = file.byteCount / 2 & ~0xFFFF
        _ = Background.both {
            ContentFile.populate(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
        } _: {
            if let bytes = file.mappedBytes { ContentFile.populate(UnsafeRawBufferPointer(rebasing: bytes[half...])) }
        }
        return ContentDigest(of: bytes).description
    }

    /// The digest as `xxh128:` and 32 lower-case hexadecimal digits.
    static func of(_ value: Representation.Value) throws(IPCError) -> String {
        do { return try ContentDigest(of: value).description } catch let error as IPCError { throw error } catch {
            throw IPCError(.inputOutput, "\(error)")
        }
    }

    /// - Parameter digests: a row for each item, a digest for each representation.
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
