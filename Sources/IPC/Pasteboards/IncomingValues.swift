internal import IPCDBus

/// Checks values that arrive, before the program sees them.
///
/// The broker is trusted not to shorten a file while it is read: its memory files are sealed, and its files on disk are
/// never written again. Other properties of a descriptor are checked.
enum IncomingValues {
    /// Checks all values, in the background if there are files.
    /// - Parameter digests: `nil` if the broker reports none.
    static func check(_ items: [PasteboardItem], against digests: [[String]]?) async throws(IPCError) {
        try checkFiles(items)
        guard let digests else { return }
        guard items.hasFile else { return try Digest.check(items, against: digests) }
        try await inBackground { () throws(IPCError) in try Digest.check(items, against: digests) }
    }

    /// Checks that all files can be mapped safely. Reads nothing.
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
            throw IPCError(.payloadInvalid, "a value came as a descriptor that leads to no file")
        }
        guard file.isReadOnly || Descriptor.isSealed(file.descriptor) else {
            throw IPCError(.payloadInvalid, "a value came as a file that can still be changed")
        }
        if let size, size != UInt64(file.byteCount) {
            throw IPCError(.inputOutput, "a value of \(size) bytes came as a file of \(file.byteCount) bytes")
        }
    }
}

extension Representation.Value {
    /// The value as bytes in memory; a file is read in the background.
    /// - Throws: `inputOutput` if it cannot be read.
    func loaded() async throws(IPCError) -> [UInt8] {
        guard case .file(let file) = self else { return content }
        return try await inBackground { () throws(IPCError) in try file.bytes() }
    }
}
