/// An item on a pasteboard, in one or more representations.
public struct PasteboardItem: Sendable, Hashable {
    /// The representations in the writer's order of preference. No type occurs twice. There is at least one, unless a
    /// read that asked only for certain types found none of them.
    public let representations: [Representation]

    /// Creates an item from representations in order of preference.
    public init(_ representations: [Representation]) throws(Invalid) {
        guard !representations.isEmpty else { throw .empty }
        try self.init(read: representations)
    }

    /// Creates an item as it was read. It may have no representations, because a read can ask for certain types only.
    package init(read representations: [Representation]) throws(Invalid) {
        self.representations = representations
        guard representations.count > 1 else { return }
        var seen = Set<ContentType>(minimumCapacity: representations.count)
        for representation in representations where !seen.insert(representation.type).inserted {
            throw .typeTwice(representation.type)
        }
    }

    private init(unchecked representations: [Representation]) { self.representations = representations }

    private init(_ type: ContentType, _ value: Representation.Value) {
        representations = [Representation(type: type, value: value)]
    }

    /// An item without representations, because none were read.
    package static let withoutContent = PasteboardItem(unchecked: [])

    package func mapValues<Failure>(
        _ transform: (Representation) throws(Failure) -> Representation.Value
    ) throws(Failure) -> PasteboardItem {
        PasteboardItem(
            unchecked: try representations.map { (representation) throws(Failure) in
                Representation(type: representation.type, value: try transform(representation))
            })
    }

    /// The types in order of preference.
    public var types: [ContentType] { representations.map(\.type) }

    /// The total size of all values in bytes.
    public var byteCount: Int { representations.reduce(0) { $0 + $1.byteCount } }

    /// The representation with the given type; `nil` if there is none.
    public subscript(type: ContentType) -> Representation? { representations.first { $0.type == type } }
}

extension PasteboardItem {
    /// Creates an item with text, of type ``ContentType/utf8PlainText``.
    public static func string(_ text: String) -> PasteboardItem {
        // A D-Bus string cannot contain U+0000; bytes can.
        PasteboardItem(.utf8PlainText, text.utf8.contains(0) ? .bytes(Array(text.utf8)) : .text(text))
    }

    /// Creates an item with a URL, of type ``ContentType/url``.
    /// - Throws: `InvalidURL` if the string is not a URL.
    public static func url(_ text: String) throws(IPCError) -> PasteboardItem {
        // RFC 2483 §5: each URI is on a line of its own, terminated by CR LF.
        PasteboardItem(.url, .text(try URLText(text).text + "\r\n"))
    }

    /// Creates an item with bytes of the given type.
    public static func data(_ bytes: [UInt8], type: ContentType = .octetStream) -> PasteboardItem {
        PasteboardItem(type, .bytes(bytes))
    }

    /// Creates an item with an image: its bytes and their type, such as ``ContentType/png``.
    public static func image(_ bytes: [UInt8], type: ContentType) -> PasteboardItem { .data(bytes, type: type) }

    /// Creates an item with the bytes of an open file. They are not read into memory, so the file may have any size.
    /// The file must not change until the item is written.
    public static func file(_ file: ContentFile, type: ContentType = .octetStream) -> PasteboardItem {
        PasteboardItem(type, .file(file))
    }

    /// Opens a file and creates an item with its bytes; see ``file(_:type:)``.
    /// - Throws: the same errors as ``ContentFile/init(path:)``.
    public static func file(path: String, type: ContentType = .octetStream) throws(IPCError) -> PasteboardItem {
        .file(try ContentFile(path: path), type: type)
    }

    /// The first representation that is an image; `nil` if there is none.
    public var image: Representation? { representations.first(where: \.type.isImage) }

    /// The text of the first representation of a UTF-8 plain-text type; `nil` if there is none or it is not UTF-8.
    public var string: String? { representations.first(where: \.type.isUTF8PlainText)?.value.string }

    /// The first URL in the ``ContentType/url`` representation, exactly as written; `nil` if there is none.
    public var url: String? {
        guard let list = self[.url]?.value.string else { return nil }
        // RFC 2483 §5: a line that starts with “#” is a comment.
        let lines = list.unicodeScalars.split { $0 == "\r" || $0 == "\n" }
        guard let line = lines.first(where: { $0.first != "#" }) else { return nil }
        return try? URLText(String(line)).text
    }
}

extension PasteboardItem {
    /// The reason why representations do not form an item.
    public enum Invalid: Error, Hashable, CustomStringConvertible {
        /// There is no representation.
        case empty
        /// Two representations have the same type.
        case typeTwice(ContentType)

        public var description: String {
            switch self {
            case .empty: "the item has no representation; it needs at least one"
            case .typeTwice(let type): "the item has the type \(type.text.quoted) twice; give each type once"
            }
        }
    }
}

extension PasteboardItem.Invalid: Condition {
    package var ipcError: IPCError { IPCError(.invalidArguments, description) }
}

extension Representation.Value {
    /// The value as text; `nil` if its bytes are not valid UTF-8, or cannot be read.
    package var string: String? { (try? readString()) ?? nil }

    /// Reads the value as text; `nil` if its bytes are not valid UTF-8.
    /// - Throws: `inputOutput` if its file cannot be read.
    package func readString() throws(IPCError) -> String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .file(let file): String(validating: try file.bytes(), as: UTF8.self)
        }
    }
}
