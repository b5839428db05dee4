/// The name of a pasteboard: 1 to 255 bytes of UTF-8 without control characters, compared byte by byte.
public struct PasteboardName: Sendable, Hashable, Comparable, CheckedName {
    /// The maximum length in bytes of UTF-8.
    public static let maximumBytes = 255

    /// The pasteboard that always exists and that all programs share.
    public static let general = PasteboardName(checked: "general")

    private static let uniquePrefix = "unique-"

    /// The name as it was written.
    public let text: String

    /// Checks the length, and that there are no control characters (U+0000 to U+001F and U+007F to U+009F).
    /// - Throws: `invalidName`.
    public init(_ text: String) throws(IPCError) {
        guard !text.isEmpty else { throw Self.error("is empty; it needs 1 to \(Self.maximumBytes) bytes of UTF-8") }
        let count = text.utf8.count
        guard count <= Self.maximumBytes else {
            throw Self.error("\(text.quoted) has \(count) bytes; at most \(Self.maximumBytes) are allowed")
        }
        // Most names are printable ASCII. Only other names need the slower check of each scalar.
        if !text.allBytes({ $0.isASCIIVisible || $0 == 0x20 }),
            let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control })
        {
            throw Self.error("\(text.quoted) contains the control character \(control.named)")
        }
        self.text = text
    }

    private init(checked text: String) { self.text = text }

    private static func error(_ complaint: String) -> IPCError {
        IPCError(.invalidName, "the name of the pasteboard \(complaint)")
    }

    /// A new name for a pasteboard that is removed when its creator disconnects: `unique-` and a random UUID.
    package static func unique() -> PasteboardName { PasteboardName(checked: uniquePrefix + RequestID.random().text) }

    package var isUnique: Bool { text.utf8.starts(with: Self.uniquePrefix.utf8) }

    /// Whether a pasteboard with this name is persistent, unless its creator chooses otherwise.
    package var isPersistentByDefault: Bool { self != .general }

    public static func == (left: PasteboardName, right: PasteboardName) -> Bool {
        left.text.isIdentical(to: right.text)
    }

    /// Compares byte by byte, like SQLite's `BINARY` collation. So each page of a list starts where the last one ended.
    public static func < (left: PasteboardName, right: PasteboardName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
