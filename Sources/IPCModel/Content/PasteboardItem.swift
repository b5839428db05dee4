/// One thing on a pasteboard, in one or more representations.
public struct PasteboardItem: Sendable, Hashable {
    /// The representations in the writer's order of preference; at least one, and no type twice.
    public let representations: [Representation]

    /// Makes an item of representations in the order of preference.
    public init(_ representations: [Representation]) throws(Invalid) {
        guard !representations.isEmpty else { throw .empty }
        var seen: Set<ContentType> = []
        for representation in representations where !seen.insert(representation.type).inserted {
            throw .typeTwice(representation.type)
        }
        self.representations = representations
    }

    private init(only representation: Representation) {
        representations = [representation]
    }

    /// The types in the order of preference.
    public var types: [ContentType] { representations.map(\.type) }

    /// The size of all values in bytes.
    public var byteCount: Int { representations.reduce(0) { $0 + $1.byteCount } }

    /// The representation of a type; nil where there is none.
    public subscript(type: ContentType) -> Representation? {
        representations.first { $0.type == type }
    }
}

extension PasteboardItem {
    /// A text, of the type ``ContentType/utf8PlainText``.
    public static func string(_ text: String) -> PasteboardItem {
        // A D-Bus string ends at U+0000; bytes do not.
        let holdsNul = text.utf8.contains(0)
        return PasteboardItem(
            only: Representation(type: .utf8PlainText, value: holdsNul ? .bytes(Array(text.utf8)) : .text(text)))
    }

    /// A URL, of the type ``ContentType/url``; an error of the code `InvalidURL` where the text is none.
    public static func url(_ text: String) throws(IPCError) -> PasteboardItem {
        do {
            let url = try URLText(text)
            // RFC 2483 §5: each URI on a line of its own, ended by CR LF.
            return PasteboardItem(only: Representation(type: .url, value: .text(url.text + "\r\n")))
        } catch {
            throw error.ipcError
        }
    }

    /// Bytes of a given type.
    public static func data(_ bytes: [UInt8], type: ContentType = .octetStream) -> PasteboardItem {
        PasteboardItem(only: Representation(type: type, value: .bytes(bytes)))
    }

    /// The first representation that is plain text in UTF-8; nil where there is none, or its bytes are not UTF-8.
    public var string: String? {
        representations.first(where: \.type.isUTF8PlainText)?.value.string
    }

    /// The first URL of the representation of the type ``ContentType/url``, as it was written; nil where there is none.
    public var url: String? {
        guard let list = self[.url]?.value.string else { return nil }
        // RFC 2483 §5: a line that starts with “#” is a comment.
        let lines = list.unicodeScalars.split { $0 == "\r" || $0 == "\n" }
        guard let line = lines.first(where: { $0.first != "#" }) else { return nil }
        return try? URLText(String(line)).text
    }
}

extension PasteboardItem {
    /// Why representations do not make an item.
    public enum Invalid: Condition, Hashable {
        /// There is no representation.
        case empty
        /// Two representations have the same type.
        case typeTwice(ContentType)

        public var ipcError: IPCError {
            switch self {
            case .empty:
                IPCError(.invalidArguments, "the item has no representation; it needs at least one")
            case .typeTwice(let type):
                IPCError(.invalidArguments, "the item has the type \(type.text.quoted) twice; give each type once")
            }
        }
    }
}

extension Representation.Value {
    /// The value as text; nil where its bytes are not UTF-8.
    package var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        }
    }
}
