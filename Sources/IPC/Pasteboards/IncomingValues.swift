internal import Glibc
internal import IPCDBus

/// Checks what has come before anybody sees it.
///
/// The broker is trusted not to shorten a file while it is read: its memory files are sealed, its files on the disk are
/// its own and never written again. Everything else of a descriptor is looked at.
enum IncomingValues {
    /// Checks that every value is what was written; files, which take time, off the thread of the caller.
    /// - Parameter digests: in the shape of the items; `nil` where none are told.
    static func check(_ items: [PasteboardItem], against digests: [[String]]?) async throws(IPCError) {
        try checkFiles(items)
        guard let digests else { return }
        let values = items.lazy.flatMap { $0.representations.map(\.value) }
        try await reading(values.contains(where: \.isFile)) { () throws(IPCError) in
            try Digest.check(items, against: digests)
        }
    }

    /// Checks that every file can be read without fear; nothing is read.
    static func checkFiles(_ items: [PasteboardItem]) throws(IPCError) {
        for item in items {
            for case .file(let file) in item.representations.map(\.value) { try check(file, size: nil) }
        }
    }

    /// Checks one value.
    static func check(_ value: Representation.Value, size: UInt64?, digest: String?) async throws(IPCError) {
        if case .file(let file) = value { try check(file, size: size) }
        guard let digest else { return }
        try await reading(value.isFile) { () throws(IPCError) in try Digest.check(value, against: digest) }
    }

    /// Checks that a file can be mapped without fear, and has the length that was told.
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

    private static func reading(
        _ takesTime: Bool, _ body: @escaping @Sendable () throws(IPCError) -> Void
    ) async throws(IPCError) {
        if takesTime { try await Background.run { Result(catching: body) }.get() } else { try body() }
    }
}

extension Representation.Value {
    /// The value as bytes in memory; a file is read off the thread of the caller.
    /// - Throws: `inputOutput` where it cannot be read.
    func loaded() async throws(IPCError) -> [UInt8] {
        guard case .file(let file) = self else { return content }
        return try await Background.run { Result { () throws(IPCError) in try file.bytes() } }.get()
    }
}
