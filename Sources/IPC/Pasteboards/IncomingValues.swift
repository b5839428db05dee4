internal import IPCDBus

/// Checks incoming values before the program sees them. The broker is trusted not to shorten a file while it is being
/// read: its memory files are sealed, and its files on disk are never written again. Other properties of a descriptor
/// are checked.
enum IncomingValues {
    /// Checks all values, in the background if there are files.
    /// - Parameter digests: for each item, the digests of its representations; `nil` if the broker reports none.
    static func check(_ items: [PasteboardItem], against digests: [[String]]?) async throws(IPCError) {
        try checkFiles(items)
        guard let digests else { return }
        guard items.hasFile else { return try Digest.check(items, against: digests) }
        try await inBackground { () throws(IPCError) in try Digest.check(items, against: digests) }
    }

    /// Checks that all files can be mapped safely. This reads no content.
    static func checkFiles(_ items: [PasteboardItem]) throws(IPCError) {
        for item in items {
            for case .file(let file) in item.representations.map(\.value) { try check(file, size: nil) }
        }
    }

    static func check(_ value: Representation.Value, size: UInt64?, digest: String?) async throws(IPCError) {
        if case .file(let file) = value { try check(file, size: size) }
        guard let digest else { return }
        guard value.isFile else { return try Digest.check(value, against: digest) }
        try await inBackground { () throws(IPCError) in try Digest.check(value, against: digest) }
    }

    /// Checks that a file can be mapped safely, and has the reported size.
    private static func check(_ file: ContentFile, size: UInt64?) throws(IPCError) {
        guard ContentFile.isRegular(file.descriptor) else {
            throw IPCError(.payloadInvalid, "a value arrived as a descriptor that is not a regular file")
        }
        guard file.isReadOnly || Descriptor.isSealed(file.descriptor) else {
            throw IPCError(
                .payloadInvalid, "a value arrived as a file that can still change: it is neither sealed nor read-only")
        }
        if let size, size != UInt64(file.byteCount) {
            throw IPCError(.inputOutput, "a value of \(size) bytes arrived as a file of \(file.byteCount) bytes")
        }
    }
}

extension Representation.Value {
    /// Returns the value as bytes in memory. A file is read in the background.
    /// - Throws: `inputOutput` if the file cannot be read.
    func loaded() async throws(IPCError) -> [UInt8] {
        guard case .file(let file) = self else { return content }
        return try await inBackground { () throws(IPCError) in try file.bytes() }
    }
}

/// Compares a value with its digest. This detects damage, but not forgery.
enum Digest {
    /// Checks a value against a digest. Digests of unknown kinds are ignored.
    /// - Throws: `inputOutput` if the value has a different digest.
    static func check(_ value: Representation.Value, against digest: String) throws(IPCError) {
        guard digest.hasPrefix(ContentDigest.prefix) else { return }
        let actual = if let digest = mapped(value) { digest } else { try of(value) }
        guard actual == digest else {
            throw IPCError(
                .inputOutput,
                "a value of \(value.byteCount) bytes is damaged: its digest is \(actual), but should be \(digest)"
            )
        }
    }

    /// The writer also sends the digest of a value that is larger than this many bytes.
    static let statedBytes = 1 << 20

    /// Returns the digest of a large sealed file, and keeps the file mapped for the program to read; `nil` for other
    /// values. Other files are not mapped, because a failure to read a mapped file is a signal and not an error.
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

    /// Returns the digest as `xxh128:` and 32 lower-case hexadecimal digits.
    static func of(_ value: Representation.Value) throws(IPCError) -> String {
        do { return try ContentDigest(of: value).description } catch let error as IPCError { throw error } catch {
            throw IPCError(.inputOutput, "\(error)")
        }
    }

    static func check(_ items: [PasteboardItem], against digests: [[String]]) throws(IPCError) {
        guard items.map(\.representations.count) == digests.map(\.count) else {
            throw IPCError(.inputOutput, "the digests of the pasteboard's values do not match its items")
        }
        for (item, row) in zip(items, digests) {
            for (representation, digest) in zip(item.representations, row) {
                try check(representation.value, against: digest)
            }
        }
    }
}
