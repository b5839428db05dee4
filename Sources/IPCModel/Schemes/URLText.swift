/// A URL as the text that its sender wrote, byte for byte (I20).
///
/// The broker routes by the scheme and reads no further: what follows the colon belongs to sender and handler. Nothing
/// is normalised, encoded or decoded, so raw spaces, `%` and letters of every script pass as they are.
package struct URLText: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes of UTF-8 that a URL may have.
    package static let maximumBytes = 1_048_576

    /// The URL, unchanged.
    package let text: String
    /// What stands before the first colon.
    package let scheme: URLScheme

    /// Checks that a text starts with a scheme and a colon (RFC 3986 §3) and holds no control character.
    package init(_ text: String) throws(Invalid) {
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong(bytes: text.utf8.count) }
        guard !text.isEmpty else { throw .empty }
        if !text.allBytes({ !$0.isASCIIControl }), let position = text.utf8.firstIndex(where: \.isASCIIControl) {
            let offset = text.utf8.distance(from: text.utf8.startIndex, to: position)
            throw .control(text, text.unicodeScalars[position], byte: offset + 1)
        }
        scheme = try Self.scheme(of: text)
        self.text = text
    }

    package var description: String { text }

    package static func == (left: URLText, right: URLText) -> Bool { left.text.isIdentical(to: right.text) }
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    private static func scheme(of text: String) throws(Invalid) -> URLScheme {
        // A colon behind one of "/?#" is part of a path, query or fragment: a relative reference, RFC 3986 §4.2.
        let end = text.utf8.firstIndex { $0 == 0x3A || $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        guard let end, text.utf8[end] == 0x3A else { throw .noScheme(text) }
        do {
            return try URLScheme(String(text[..<end]))
        } catch {
            throw .scheme(text, error)
        }
    }
}

extension URLText {
    /// Why a text is not a URL that can be opened.
    package enum Invalid: Condition, Hashable {
        /// The text is empty.
        case empty
        /// The text has more than ``URLText/maximumBytes`` bytes.
        case tooLong(bytes: Int)
        /// The text holds U+0000 to U+001F or U+007F, counted in bytes from 1.
        case control(String, Unicode.Scalar, byte: Int)
        /// The text is a relative reference: no colon ends a scheme.
        case noScheme(String)
        /// What stands before the colon is not a scheme.
        case scheme(String, URLScheme.Invalid)

        package var ipcError: IPCError { IPCError(.invalidURL, sentence) }

        private var sentence: String {
            switch self {
            case .empty:
                "the URL is empty; RFC 3986 §3 asks for a scheme and a colon first"
            case .tooLong(let bytes):
                "the URL has \(bytes) bytes; at most \(URLText.maximumBytes) are allowed, send the rest as payload"
            case .control(let text, let scalar, let byte):
                "the URL \(Self.start(of: text)) contains \(scalar.namedControl) as byte \(byte); "
                    + "RFC 3986 §2.1 asks to percent-encode it"
            case .noScheme(let text):
                "the URL \(text.quoted) has no scheme; RFC 3986 §3 asks for one and a colon first, as in “scheme:rest”"
                    + Self.hint(text)
            case .scheme(let text, let reason):
                "the URL \(text.quoted) cannot be opened: \(reason.description)"
            }
        }

        /// Somebody who means a scheme may have left out the colon.
        private static func hint(_ text: String) -> String {
            (try? URLScheme(text)).map { "; for the scheme itself write “\($0):”" } ?? ""
        }

        /// The text before its first control character, which would be hard to see among the others.
        private static func start(of text: String) -> String {
            let start = String(text.unicodeScalars.prefix { !($0.isASCII && UInt8(ascii: $0).isASCIIControl) })
            return (start + "…").quoted
        }
    }
}
