internal import IPCDBus

/// Prepares items for a message: small values inline, large ones as files (if in memory, as sealed memory files).
enum OutgoingItems {
    /// Converts items to a form that fits in one message.
    /// - Parameters:
    ///   - passes: whether the connection can pass descriptors.
    ///   - prefersInline: whether to pass no descriptors if all values fit inline.
    /// - Throws: `limitExceeded` if the items do not fit; `noSpace`, `inputOutput` if a file cannot be created or read.
    static func prepare(
        _ items: [PasteboardItem], passes: Bool = true, prefersInline: Bool = false
    ) async throws(IPCError) -> [PasteboardItem] {
        let values = items.flatMap { $0.representations.map(\.value) }
        let fit = try checked { () throws(LimitExceeded) in
            try Limits().messageFit(values.map { UInt64($0.byteCount) }, prefersInline: prefersInline || !passes)
        }
        guard passes || fit.descriptors.isEmpty else {
            let excess = LimitExceeded.excess(bytes: UInt64(items.byteCount), over: Limits().inlineMessageBytes)
            throw IPCError(
                .limitExceeded,
                "this bus connection cannot pass file descriptors, so all values must fit in one message: \(excess)")
        }
        guard !fit.descriptors.isEmpty || values.contains(where: \.isFile) else { return items }
        return try await inBackground { () throws(IPCError) in try form(items, fit) }
    }

    static func prepare(
        _ representation: Representation, takesDescriptor: Bool
    ) async throws(IPCError) -> Representation.Value {
        let value = representation.value
        try checked { () throws(LimitExceeded) in
            if takesDescriptor {
                _ = try Limits().messageFit([UInt64(value.byteCount)])
            } else {
                try Limits().check(\.inlineMessageBytes, request: UInt64(value.byteCount))
            }
        }
        let passes = takesDescriptor && value.byteCount > Limits().inlineValueBytes
        guard passes || value.isFile else { return value }
        return try await inBackground { () throws(IPCError) in try form(representation, passes: passes) }
    }

    private static func form(_ items: [PasteboardItem], _ fit: MessageFit) throws(IPCError) -> [PasteboardItem] {
        var place = -1
        return try items.map { (item) throws(IPCError) in
            try item.mapValues { (representation) throws(IPCError) in
                place += 1
                return try form(representation, passes: fit.descriptors.contains(place))
            }
        }
    }

    private static func form(
        _ representation: Representation, passes: Bool
    ) throws(IPCError) -> Representation.Value {
        let value = representation.value
        return switch value {
        case .file(let file): passes ? value : .inMemory(try file.bytes(), representation.type)
        case .text(var text) where passes: try text.withUTF8 { sealed(UnsafeRawBufferPointer($0), of: value) }.get()
        case .bytes(let bytes) where passes: try bytes.withUnsafeBytes { sealed($0, of: value) }.get()
        default: value
        }
    }

    private static func sealed(
        _ bytes: UnsafeRawBufferPointer, of value: Representation.Value
    ) -> Result<Representation.Value, IPCError> {
        do throws(SystemError) {
            guard bytes.count > Digest.statedBytes else {
                let file = try Descriptor.makeSealed(containing: bytes, name: "pasteboard-value")
                return .success(.file(ContentFile(owning: file, byteCount: bytes.count)))
            }
            // Create the file and compute the digest at the same time, so that the digest costs no extra time.
            let (file, digest) = Background.both {
                Result { () throws(SystemError) in
                    try Descriptor.makeSealed(containing: bytes, name: "pasteboard-value")
                }
            } _: {
                // The value is in memory, so this cannot fail; only a file can be unreadable.
                try? ContentDigest(of: value)
            }
            return .success(.file(ContentFile(owning: try file.get(), byteCount: bytes.count, knownDigest: digest)))
        } catch {
            return .failure(IPCError(memoryFile: error, byteCount: bytes.count))
        }
    }

    /// The known digests of items, with empty strings for unknown ones; `nil` if none is known.
    static func digests(of items: [PasteboardItem]) -> [[String]]? {
        let digests = items.map { $0.representations.map { $0.value.knownDigest?.description ?? "" } }
        return digests.contains { $0.contains { !$0.isEmpty } } ? digests : nil
    }
}

extension Representation.Value {
    fileprivate var knownDigest: ContentDigest? { if case .file(let file) = self { file.knownDigest } else { nil } }

    var isFile: Bool { if case .file = self { true } else { false } }
}
