/// The type of one representation: a MIME type, or the bare name of an X11 selection target.
///
/// Types are compared as RFC 2045 says: without regard to case in type, subtype and the names of parameters, to the
/// order of parameters, to quotation marks that are not needed, to blanks around “;”, and to the case of a `charset`
/// (RFC 2046 §4.1.2). A bare name such as `UTF8_STRING` is an X11 atom and equal only to itself. The spelling stays as
/// it was written.
public struct ContentType: Sendable, Hashable, CustomStringConvertible {
    /// The limit of bytes of a type, parameters included.
    public static let maximumBytes = 255

    /// The type as it was written; for a name of ``uniformTypes`` the MIME type of its row.
    public let text: String
    /// Type and subtype in small letters, `text/plain`; a bare name as it is.
    public let essence: String
    /// The parameters in the order of their names.
    let parameters: [Parameter]

    /// Checks a text that is a MIME type with or without parameters (RFC 2045 §5.1), the bare name of an X11 target,
    /// or a uniform type identifier, which becomes its MIME type if ``uniformTypes`` has one.
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
        (self.essence, self.parameters) = (essence, parameters)
        text = essence + parameters.map(\.spelling).joined()
    }

    public var description: String { text }

    /// The one spelling that all equal types share: `text/plain;charset=utf-8`.
    package var canonical: String { essence + parameters.map(\.spelling).joined() }

    public static func == (left: ContentType, right: ContentType) -> Bool {
        left.essence == right.essence && left.parameters == right.parameters
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(parameters)
    }

    /// One parameter in canonical form.
    struct Parameter: Sendable, Hashable {
        /// In small letters.
        let name: String
        /// Without quotation marks; for `charset` in small letters.
        let value: String

        /// `;name=value`, with quotation marks if the value is not a token.
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
    /// URLs, one per line; RFC 2483 §5.
    public static let url = ContentType(canonical: "text/uri-list")
    /// A page or fragment of HTML.
    public static let html = ContentType(canonical: "text/html")
    /// A JSON text; RFC 8259 §11.
    public static let json = ContentType(canonical: "application/json")
    /// A picture in PNG.
    public static let png = ContentType(canonical: "image/png")
    /// A picture in JPEG.
    public static let jpeg = ContentType(canonical: "image/jpeg")
    /// Bytes of an unknown type; RFC 2046 §4.5.1.
    public static let octetStream = ContentType(canonical: "application/octet-stream")

    /// The types of most values by their text, because parsing costs more than everything else for a short value.
    private static let common: [String: ContentType] = Dictionary(
        uniqueKeysWithValues: [utf8PlainText, plainText, url, html, json, png, jpeg, octetStream].map { ($0.text, $0) })

    /// Whether bytes of this type are a picture; RFC 2046 §4.2.
    public var isImage: Bool { essence.hasPrefix("image/") }

    /// Whether bytes of this type are text, if they are UTF-8.
    package var isText: Bool { essence.hasPrefix("text/") || isUTF8PlainText }

    /// Whether bytes of this type are plain text in UTF-8, or in its subset US-ASCII.
    package var isUTF8PlainText: Bool {
        if essence == "UTF8_STRING" { return true }
        let charset = parameters.first { $0.name == "charset" }?.value ?? "utf-8"
        return essence == "text/plain" && (charset == "utf-8" || charset == "us-ascii")
    }
}

// MARK: Password managers

extension ContentType {
    /// The type by which password managers mark what they copy, with any value; KDE's clipboard and others know it.
    package static let passwordManagerHint = ContentType(canonical: "x-kde-passwordManagerHint")

    fileprivate var marksSecret: Bool { essence == Self.passwordManagerHint.essence }
}

extension PasteboardItem {
    /// Whether a password manager has marked the item, so that it is treated as sensitive.
    package var isMarkedSensitive: Bool { representations.contains { $0.type.marksSecret } }
}

extension Sequence<[ContentType]> {
    /// Whether a password manager has marked promised content, with the types of one item in each row.
    package var isMarkedSensitive: Bool { contains { $0.contains(where: \.marksSecret) } }
}
