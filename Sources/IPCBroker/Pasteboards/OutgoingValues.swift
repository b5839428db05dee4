internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// How the values of a version leave: in the message, or as descriptors for who asked for them.
struct OutgoingValues: Sendable {
    private let limits: Limits
    private let takesDescriptors: Bool

    init(_ limits: Limits, takesDescriptors: Bool) {
        (self.limits, self.takesDescriptors) = (limits, takesDescriptors)
    }

    /// A payload as its handler gets it, in one message; `payloadInvalid` where it does not fit.
    static func handed(_ items: [PasteboardItem], _ limits: Limits) throws -> [PasteboardItem] {
        do {
            return try OutgoingValues(limits, takesDescriptors: false).prepare(items)
        } catch let limit as LimitExceeded {
            throw IPCError(.payloadInvalid, "the handler takes no descriptors, and the payload does not fit: \(limit)")
        }
    }

    static func payloadTooLarge(_ bytes: UInt64, _ limits: Limits) -> IPCError {
        IPCError(
            .payloadInvalid,
            "the handler takes no descriptors, and the payload has \(bytes) bytes; "
                + "at most \(limits.inlineMessageBytes) fit a message")
    }

    /// The items as they are sent. Run it where they are read, on the store's thread: files are read, and where it
    /// fails nothing must have been consumed.
    func prepare(_ items: [PasteboardItem]) throws -> [PasteboardItem] {
        let descriptors = try descriptors(of: items)
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
        try representation.sent(asDescriptor: !fit([representation.byteCount]).isEmpty)
    }

    private func descriptors(of items: [PasteboardItem]) throws(LimitExceeded) -> Set<Int> {
        try fit(items.flatMap { $0.representations.map(\.byteCount) })
    }

    /// The places of the values that go as descriptors.
    private func fit(_ sizes: [Int]) throws(LimitExceeded) -> Set<Int> {
        if takesDescriptors { return Set(try limits.messageFit(sizes.map(UInt64.init)).descriptors) }
        try limits.check(\.inlineMessageBytes, request: sizes.reduce(0) { $0 + UInt64($1) })
        return []
    }
}

extension Representation {
    /// The same value as a descriptor, or in memory.
    fileprivate func sent(asDescriptor: Bool) throws -> Representation {
        switch (value, asDescriptor) {
        case (.file(let file), false):
            let bytes = try file.bytes()
            // Text that came as a descriptor is a string again for who takes none, as text that is small.
            if type.essence.hasPrefix("text/") || type.isUTF8PlainText, !bytes.contains(0),
                let text = String(validating: bytes, as: UTF8.self)
            {
                return Representation(type: type, value: .text(text))
            }
            return Representation(type: type, value: .bytes(bytes))
        case (.text, true), (.bytes, true):
            return Representation(type: type, value: .file(try value.sealed()))
        case (.file, true), (.text, false), (.bytes, false): return self
        }
    }
}

extension [PasteboardItem] {
    /// How many values came as descriptors.
    var fileCount: Int {
        reduce(0) { $0 + $1.representations.count { if case .file = $0.value { true } else { false } } }
    }

    var hasFiles: Bool { contains { $0.representations.contains { if case .file = $0.value { true } else { false } } } }
}

extension Representation.Value {
    /// The bytes in a memory file that nobody can change.
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

extension PasteboardItem {
    /// The bytes of the values that are in the message.
    var inlineByteCount: UInt64 {
        representations.reduce(0) { sum, representation in
            if case .file = representation.value { sum } else { sum + UInt64(representation.byteCount) }
        }
    }
}
