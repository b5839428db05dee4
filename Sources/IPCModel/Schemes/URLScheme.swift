/// The scheme of a URL, which chooses its handler; RFC 3986 §3.1.
///
/// Two schemes are equal without regard to case; the spelling stays as it was written.
package struct URLScheme: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most bytes that a scheme may have; RFC 3986 sets no bound, the broker's index wants one.
    package static let maximumBytes = 255

    /// The scheme as it was written.
    package let spelling: String
    /// The scheme in small letters, the canonical form of RFC 3986 §3.1.
    package let canonical: String

    /// Checks a text against `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
    package init(_ text: String) throws(Invalid) {
        // Nearly all are right; only then is looked for what is wrong.
        if !Self.isRight(text), let reason = Self.violation(in: text) { throw reason }
        spelling = text
        canonical = text.asciiLowercased
    }

    package var description: String { spelling }

    package static func == (left: URLScheme, right: URLScheme) -> Bool { left.canonical == right.canonical }
    package static func < (left: URLScheme, right: URLScheme) -> Bool { left.canonical < right.canonical }
    package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }

    private static func isRight(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter, text.utf8.count <= maximumBytes else { return false }
        return text.allBytes { $0.isASCIIAlphanumeric || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    private static func violation(in text: String) -> Invalid? {
        guard let first = text.unicodeScalars.first else { return .empty }
        guard text.utf8.count <= maximumBytes else { return .tooLong(text) }
        guard first.isASCII, UInt8(ascii: first).isASCIILetter else { return .noLetterFirst(text, first) }
        for (position, scalar) in text.unicodeScalars.enumerated() where !isAllowed(scalar) {
            return .character(text, scalar, position: position + 1)
        }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "+", "-", ".": true
        default: scalar.isASCII && UInt8(ascii: scalar).isASCIIAlphanumeric
        }
    }
}

extension URLScheme {
    /// Why a text is not a scheme.
    package enum Invalid: Condition, Hashable {
        /// The text is empty.
        case empty
        /// The text has more than ``URLScheme/maximumBytes`` bytes.
        case tooLong(String)
        /// The text starts with something other than a letter.
        case noLetterFirst(String, Unicode.Scalar)
        /// The text holds a character that no scheme may hold, counted from 1.
        case character(String, Unicode.Scalar, position: Int)

        package var ipcError: IPCError { IPCError(.invalidName, sentence) }

        private var sentence: String {
            switch self {
            case .empty:
                "the scheme is empty; RFC 3986 §3.1 asks for a letter first"
            case .tooLong(let text):
                "the scheme \(text.quoted) has \(text.utf8.count) bytes; at most \(URLScheme.maximumBytes) are allowed"
            case .noLetterFirst(let text, let scalar):
                "the scheme \(text.quoted) starts with \(scalar.kind); RFC 3986 §3.1 asks for a letter first"
            case .character(let text, ":", let position) where position == text.unicodeScalars.count:
                "the colon is no part of a scheme; write \(String(text.dropLast()).quoted)"
            case .character(let text, let scalar, let position):
                "the scheme \(text.quoted) has \(scalar.named) as character \(position); "
                    + "RFC 3986 §3.1 allows only letters, digits, “+”, “-” and “.”"
            }
        }
    }
}

extension Unicode.Scalar {
    /// `a digit`, or the scalar by its name.
    fileprivate var kind: String {
        isASCII && UInt8(ascii: self).isASCIIDigit ? "a digit" : named
    }
}
