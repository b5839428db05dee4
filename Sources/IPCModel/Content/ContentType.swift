/// The type of one representation: a MIME type, or the bare name of an X11 selection target.
///
/// Two types are equal where RFC 2045 says so: without regard to case in type, subtype and the names of parameters, to
/// the order of parameters, to quotation marks that are not needed, to blanks around “;”, and to the case of a
/// `charset` (RFC 2046 §4.1.2). A bare name such as `UTF8_STRING` is an X11 atom and equal only to itself. The
/// spelling stays as it was written.
public struct ContentType: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that a type may have, parameters included.
    public static let maximumBytes = 255

    /// The type as it was written; for a name of ``uniformTypes`` the MIME type of its row.
    public let text: String
    /// Type and subtype in small letters, `text/plain`; a bare name as it is.
    public let essence: String
    /// The parameters in the order of their names.
    let parameters: [Parameter]

    /// Checks a text that is a MIME type with or without parameters (RFC 2045 §5.1), the bare name of an X11 target,
    /// or a uniform type identifier, which becomes its MIME type where ``uniformTypes`` has one.
    public init(_ text: String) throws(Invalid) {
        if let common = Self.common[text] {
            self = common
            return
        }
        let written = Self.mimeType(ofUniformType: text) ?? text
        var grammar = try ContentTypeGrammar(written)
        (essence, parameters) = try grammar.parse()
        self.text = written
    }

    /// A type whose text is known to be canonical.
    private init(canonical essence: String, _ parameters: Parameter...) {
        self.essence = essence
        self.parameters = parameters
        text = essence + parameters.map(\.spelling).joined()
    }

    /// The bare name of a selection target that is known to be right.
    init(name: String) {
        (essence, parameters, text) = (name, [], name)
    }

    public var description: String { text }

    /// The one spelling that all equal types share: `text/plain;charset=utf-8`.
    package var canonical: String { essence + parameters.map(\.spelling).joined() }

    /// The value of a parameter, by its name in small letters.
    package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    public static func == (left: ContentType, right: ContentType) -> Bool {
        left.essence == right.essence && left.parameters == right.parameters
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(parameters)
    }
}

extension ContentType {
    /// One parameter in canonical form.
    struct Parameter: Sendable, Hashable {
        /// The name in small letters.
        let name: String
        /// The value without quotation marks; that of `charset` in small letters.
        let value: String

        /// `;name=value`, with quotation marks where the value is not a token.
        var spelling: String {
            if !value.isEmpty && value.utf8.allSatisfy(ContentTypeGrammar.isToken) { return ";\(name)=\(value)" }
            var quoted = ""
            for character in value {
                if character == "\"" || character == "\\" { quoted += "\\" }
                quoted.append(character)
            }
            return ";\(name)=\"\(quoted)\""
        }
    }
}

extension ContentType {
    /// Text in UTF-8, the type of every string.
    public static let utf8PlainText = ContentType(canonical: "text/plain", Parameter(name: "charset", value: "utf-8"))
    /// Text without a stated character set.
    public static let plainText = ContentType(canonical: "text/plain")
    /// URLs, one a line; RFC 2483 §5.
    public static let url = ContentType(canonical: "text/uri-list")
    /// A page or fragment of HTML.
    public static let html = ContentType(canonical: "text/html")
    /// A JSON text; RFC 8259 §11.
    public static let json = ContentType(canonical: "application/json")
    /// A picture in PNG.
    public static let png = ContentType(canonical: "image/png")
    /// A picture in JPEG.
    public static let jpeg = ContentType(canonical: "image/jpeg")
    /// Bytes of which nothing is known; RFC 2046 §4.5.1.
    public static let octetStream = ContentType(canonical: "application/octet-stream")

    /// Those that most values have, by their text: to read it costs more than all else that is done with a short value.
    private static let common: [String: ContentType] = Dictionary(
        uniqueKeysWithValues: [utf8PlainText, plainText, url, html, json, png, jpeg, octetStream].map { ($0.text, $0) })

    /// Whether bytes of this type are a picture; RFC 2046 §4.2.
    public var isImage: Bool { essence.hasPrefix("image/") }

    /// Whether bytes of this type are plain text in UTF-8, or in its part US-ASCII.
    package var isUTF8PlainText: Bool {
        if essence == "UTF8_STRING" { return true }
        guard essence == "text/plain" else { return false }
        return switch parameter("charset") {
        case nil, "utf-8", "us-ascii": true
        default: false
        }
    }
}
