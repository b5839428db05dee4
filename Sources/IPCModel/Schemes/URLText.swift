/// A URL, byte for byte as its sender wrote it (I20). The broker routes by the scheme and ignores the rest: everything
/// after the colon is a matter between sender and handler. Nothing is normalised, encoded or decoded, so raw spaces,
/// `%` and letters of all scripts stay as they are.
package struct URLText: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length in bytes of UTF-8.
    package static let maximumBytes = 1_048_576

    package let text: String
    /// The part before the first colon.
    package let scheme: URLScheme

    /// Checks that a string starts with a scheme and a colon (RFC 3986 §3) and has no control characters.
    package init(_ text: String) throws(IPCError) {
        let count = text.utf8.count
        guard count <= Self.maximumBytes else {
            throw Self.error("has \(count) bytes; at most \(Self.maximumBytes) are allowed, send the rest as payload")
        }
        guard !text.isEmpty else { throw Self.error("is empty; a URL starts with a scheme and a colon (RFC 3986 §3)") }
        if !text.allBytes({ !$0.isASCIIControl }), let position = text.utf8.firstIndex(where: \.isASCIIControl) {
            // Quote the text before the control character, because the character itself is hard to spot.
            throw Self.error(
                "\("\(text[..<position])…".quoted) contains \(text.unicodeScalars[position].namedControl) as byte "
                    + "\(text.utf8[...position].count); percent-encode it (RFC 3986 §2.1)")
        }
        scheme = try Self.scheme(of: text)
        self.text = text
    }

    package var description: String { text }

    package static func == (left: URLText, right: URLText) -> Bool { left.text.isIdentical(to: right.text) }
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    private static func scheme(of text: String) throws(IPCError) -> URLScheme {
        // A URL with one of "/?#" before its first colon has no scheme: it is a relative reference (RFC 3986 §4.2).
        let end = text.utf8.firstIndex { $0 == 0x3A || $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        guard let end, text.utf8[end] == 0x3A else {
            let hint = (try? URLScheme(text)).map { "; for the scheme itself write “\($0):”" } ?? ""
            throw error(
                "\(text.quoted) has no scheme; a URL must start with one, as in “scheme:rest” (RFC 3986 §3)\(hint)")
        }
        do { return try URLScheme(String(text[..<end])) } catch {
            throw Self.error("\(text.quoted) cannot be opened: \(error.message)")
        }
    }

    private static func error(_ complaint: String) -> IPCError { IPCError(.invalidURL, "the URL \(complaint)") }
}
