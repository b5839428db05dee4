/// The scheme of a URL, which determines its handler; RFC 3986 §3.1.
///
/// Schemes are compared without regard to case. The original spelling is kept.
public struct URLScheme: Sendable, Hashable, Comparable, CheckedName {
    /// The maximum length of a scheme in bytes. RFC 3986 sets no limit, but the broker's index needs one.
    public static let maximumBytes = 255

    /// The scheme as it was written.
    public let spelling: String
    /// The scheme in lower case, the canonical form of RFC 3986 §3.1.
    public let canonical: String

    /// Checks a string against `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`, without the colon.
    /// - Throws: `invalidName`.
    public init(_ text: String) throws(IPCError) {
        if !Self.isValid(text), let sentence = Self.complaint(about: text) { throw IPCError(.invalidName, sentence) }
        (spelling, canonical) = (text, Self.canonical(text))
    }

    /// The canonical form of a string that may not be a valid scheme.
    package static func canonical(_ text: some StringProtocol) -> String { String(text).asciiLowercased }

    /// The scheme as it was written.
    public var text: String { spelling }

    public static func == (left: URLScheme, right: URLScheme) -> Bool { left.canonical == right.canonical }
    public static func < (left: URLScheme, right: URLScheme) -> Bool { left.canonical < right.canonical }
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }

    private static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter, text.utf8.count <= maximumBytes else { return false }
        return text.allBytes(isAllowed)
    }

    /// The error message for a string that is not a scheme; `nil` for a valid scheme.
    private static func complaint(about text: String) -> String? {
        let name = text.quoted
        guard let first = text.unicodeScalars.first else {
            return "the scheme is empty; it must start with a letter (RFC 3986 §3.1)"
        }
        guard text.utf8.count <= maximumBytes else {
            return "the scheme \(name) has \(text.utf8.count) bytes; at most \(maximumBytes) are allowed"
        }
        guard first.isASCII, UInt8(ascii: first).isASCIILetter else {
            let kind = "0"..."9" ~= first ? "a digit" : first.named
            return "the scheme \(name) starts with \(kind), but must start with a letter (RFC 3986 §3.1)"
        }
        let wrong = text.unicodeScalars.enumerated().first { !$1.isASCII || !isAllowed(UInt8(ascii: $1)) }
        guard let (index, scalar) = wrong else { return nil }
        if scalar == ":", index + 1 == text.unicodeScalars.count {
            return "the colon is not part of a scheme; write \(String(text.dropLast()).quoted)"
        }
        return "the scheme \(name) has \(scalar.named) as character \(index + 1); "
            + "RFC 3986 §3.1 allows only letters, digits, “+”, “-” and “.”"
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }
}

extension URLScheme {
    /// The schemes whose handlers the system depends on (I22), in canonical form. A handler of `https` would replace
    /// the user's browser, and `javascript` and `data` carry content instead of an address. Reserved schemes can be
    /// registered only with `allow-reserved`.
    package static let reserved: Set<String> = [
        "http", "https", "file", "ftp", "mailto", "tel", "data", "javascript", "vbscript", "about", "blob",
        "view-source", "dbus",
    ]

    package var isReserved: Bool { Self.reserved.contains(canonical) }
}
