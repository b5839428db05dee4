/// The name of a pasteboard: 1 to 255 bytes of UTF-8 without control characters, compared byte by byte.
package struct PasteboardName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most bytes of UTF-8 that a name may have.
    package static let maximumBytes = 255

    /// The pasteboard that always exists.
    package static let general = PasteboardName(checked: "general")

    private static let uniquePrefix = "unique-"

    /// The name as it was written.
    package let text: String

    /// Checks length and characters: U+0000 to U+001F and U+007F to U+009F are control characters.
    package init(_ text: String) throws(Invalid) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong(text) }
        // Beyond ASCII it takes a look at the scalars; most names do not go there.
        if !text.allBytes({ $0.isASCIIVisible || $0 == 0x20 }),
            let control = text.unicodeScalars.first(where: Self.isControl)
        {
            throw .control(text, control)
        }
        self.text = text
    }

    private init(checked text: String) {
        self.text = text
    }

    /// The general category Cc of the Unicode Standard, whose members are fixed: C0, DEL and C1.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// A fresh name for a pasteboard that ends with its maker: `unique-` and a random UUID.
    package static func unique() -> PasteboardName {
        PasteboardName(checked: uniquePrefix + RequestID.random().text)
    }

    /// Whether the name is one of those that the broker gives out, `unique-<uuid>`.
    package var isUnique: Bool { text.utf8.starts(with: Self.uniquePrefix.utf8) }

    package var description: String { text }

    package static func == (left: PasteboardName, right: PasteboardName) -> Bool {
        left.text.isIdentical(to: right.text)
    }

    /// The order of the bytes, which is that of SQLite's `BINARY` collation: a page ends where the next one starts.
    package static func < (left: PasteboardName, right: PasteboardName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension PasteboardName {
    /// Why a text is not the name of a pasteboard.
    package enum Invalid: Condition, Hashable {
        /// The text is empty.
        case empty
        /// The text has more than ``PasteboardName/maximumBytes`` bytes.
        case tooLong(String)
        /// The text holds a control character.
        case control(String, Unicode.Scalar)

        package var ipcError: IPCError { IPCError(.invalidName, sentence) }

        private var sentence: String {
            let most = PasteboardName.maximumBytes
            return switch self {
            case .empty:
                "the name of the pasteboard is empty; it needs 1 to \(most) bytes of UTF-8"
            case .tooLong(let text):
                "the name of the pasteboard \(text.quoted) has \(text.utf8.count) bytes; at most \(most) are allowed"
            case .control(let text, let scalar):
                "the name of the pasteboard \(text.quoted) holds the control character \(scalar.named)"
            }
        }
    }
}
