internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// Prepares values for a message: inline, or as descriptors if the receiver takes them.
struct OutgoingValues: Sendable {
    let limits: Limits
    private let takesDescriptors: Bool

    init(_ limits: Limits, takesDescriptors: Bool) {
        (self.limits, self.takesDescriptors) = (limits, takesDescriptors)
    }

    /// Prepares a payload for the single message that the handler gets.
    /// - Throws: `payloadInvalid` if the payload does not fit into a message.
    func handed(_ items: [PasteboardItem]) throws -> [PasteboardItem] { try naming { try prepare(items) } }

    /// Rejects a payload that is too large for the handler to receive. Only the sizes are checked.
    func checkHanded(_ items: [PasteboardItem]) throws { try naming { _ = try fit(items.valueSizes) } }

    func inlineBytes(of items: [PasteboardItem]) -> UInt64 {
        guard takesDescriptors else { return items.byteCount }
        let sizes = items.valueSizes
        guard let outside = try? fit(sizes), !outside.isEmpty else { return sizes.reduce(0, +) }
        return sizes.enumerated().reduce(0) { outside.contains($1.offset) ? $0 : $0 + $1.element }
    }

    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let limit as LimitExceeded {
            guard !takesDescriptors else {
                throw IPCError(.payloadInvalid, "the payload does not fit into a message: \(limit)")
            }
            throw IPCError(
                .payloadInvalid,
                "the payload does not fit into a message, and the handler has not declared that it takes descriptors; "
                    + Advice.takeDescriptors.rawValue)
        }
    }

    /// Prepares items in the form in which they are sent. Call this in the transaction that reads or takes the items:
    /// it reads files, and if that fails, the transaction must be undone.
    func prepare(_ items: [PasteboardItem]) throws -> [PasteboardItem] {
        let descriptors = try fit(items.valueSizes)
        guard !descriptors.isEmpty || items.hasFiles else { return items }
        var number = 0
        return try items.map { item in
            try PasteboardItem(
                read: try item.representations.map { representation in
                    defer { number += 1 }
                    return try representation.sent(asDescriptor: descriptors.contains(number))
                })
        }
    }

    func prepare(_ representation: Representation) throws -> Representation {
        try representation.sent(asDescriptor: !fit([UInt64(representation.byteCount)]).isEmpty)
    }

    /// The indices of the values that are sent as descriptors.
    private func fit(_ sizes: [UInt64]) throws(LimitExceeded) -> Set<Int> {
        if takesDescriptors { return Set(try limits.messageFit(sizes).descriptors) }
        try limits.check(\.inlineMessageBytes, request: sizes.reduce(0, +))
        return []
    }
}

extension Representation {
    fileprivate func sent(asDescriptor: Bool) throws -> Representation {
        switch (value, asDescriptor) {
        case (.file(let file), false):
            return Representation(type: type, value: .inMemory(try file.bytes(), type))
        case (.text, true), (.bytes, true):
            return Representation(type: type, value: .file(try value.sealed()))
        case (.file, true), (.text, false), (.bytes, false): return self
        }
    }
}

extension [PasteboardItem] {
    /// The same items with all files reopened, so that each receiver has its own file offsets.
    func reopened() -> [PasteboardItem] {
        guard hasFiles else { return self }
        return map { item in
            let representations = item.representations.map { representation in
                guard case .file(let file) = representation.value, let own = file.reopened() else {
                    return representation
                }
                return Representation(type: representation.type, value: .file(own))
            }
            return (try? PasteboardItem(read: representations)) ?? item
        }
    }

    fileprivate var valueSizes: [UInt64] {
        var sizes: [UInt64] = []
        for item in self { for value in item.representations { sizes.append(UInt64(value.byteCount)) } }
        return sizes
    }

    var fileCount: Int {
        reduce(0) { $0 + $1.representations.count { if case .file = $0.value { true } else { false } } }
    }

    var hasFiles: Bool { contains { $0.representations.contains { if case .file = $0.value { true } else { false } } } }
}

extension Representation.Value {
    /// The value as a file; text and bytes are copied to a sealed memory file.
    fileprivate func sealed() throws -> ContentFile {
        func file(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> ContentFile {
            ContentFile(owning: try Descriptor.makeSealed(containing: bytes, name: "value"), byteCount: bytes.count)
        }
        do {
            switch self {
            case .text(var text): return try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
            case .bytes(let bytes): return try bytes.withUnsafeBytes { try file($0) }
            case .file(let file): return file
            }
        } catch let error as SystemError {
            throw IPCError(.limitExceeded, "the broker has no descriptor left for a large value (\(error)); try again")
        }
    }
}
