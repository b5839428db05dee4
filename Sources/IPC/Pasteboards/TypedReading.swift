// A typed read asks for the types first. This way, values of other types are not fetched from their writer, and a
// version that its first reader consumes is not lost if no type matches.
extension Pasteboard {
    /// The text of the first item that has text; `nil` if none has.
    /// - Throws: the same errors as ``items``; `payloadInvalid` if that text is not valid UTF-8.
    public var string: String? {
        get async throws(IPCError) { try await items(where: \.isUTF8PlainText).firstText() }
    }

    /// The text of each item that has text.
    public var strings: [String] {
        get async throws(IPCError) { try await items(where: \.isUTF8PlainText).texts() }
    }

    /// The URL of the first item that has one, exactly as written; `nil` if none has.
    /// - Throws: the same errors as ``items``; `payloadInvalid` if that item's list of URLs is empty.
    public var url: String? {
        get async throws(IPCError) { try await items { $0 == .url }.firstURL() }
    }

    /// The URL of each item that has one, exactly as written.
    public var urls: [String] {
        get async throws(IPCError) { try await items { $0 == .url }.urls() }
    }

    /// The first image, with its type; `nil` if there is none.
    public var image: Representation? {
        get async throws(IPCError) { try await images.first }
    }

    /// The image of each item that has one, with its type.
    public var images: [Representation] {
        get async throws(IPCError) { try await items(where: \.isImage).compactMap(\.image) }
    }

    /// Whether any item has text. This reads no content.
    public var hasStrings: Bool {
        get async throws(IPCError) { try await types.contains { $0.contains(where: \.isUTF8PlainText) } }
    }

    /// Whether any item has a URL. This reads no content.
    public var hasURLs: Bool {
        get async throws(IPCError) { try await types.contains { $0.contains(.url) } }
    }

    /// Whether any item has an image. This reads no content.
    public var hasImages: Bool {
        get async throws(IPCError) { try await types.contains { $0.contains(where: \.isImage) } }
    }

    /// The items of the current version, each with its first representation of a matching type; empty if none matches.
    func items(where fits: (ContentType) -> Bool) async throws(IPCError) -> [PasteboardItem] {
        var known = try await versions()
        for _ in 0..<Self.attempts {
            guard let current = known.last else { return [] }
            let types = Set(current.types.compactMap { $0.first(where: fits) })
            guard !types.isEmpty else { return [] }
            do throws(IPCError) {
                return try await version(current.changeCount, types: Array(types)).items
            } catch {
                guard error.code == .noSuchItem else { throw error }
                // If the version still exists, throw the read's error. Otherwise, read the version that replaced it.
                known = try await versions()
                guard !known.contains(where: { $0.changeCount == current.changeCount }) else { throw error }
            }
        }
        throw IPCError(
            .changeCountMismatch, "the pasteboard changed \(Self.attempts) times while it was being read; try again")
    }

    /// How many times to try if the current version keeps being replaced before it is read.
    private static let attempts = 16
}

extension [[ContentType]] {
    init(texts: [[String]]) throws(IPCError) {
        self = try texts.map { (item) throws(IPCError) in
            try item.map { (text) throws(IPCError) in
                try checked { () throws(ContentType.Invalid) in try ContentType(text) }
            }
        }
    }
}
