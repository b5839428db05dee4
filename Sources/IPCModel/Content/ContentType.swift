/// The type of one representation: a MIME type, or the bare name of an X11 selection target.
///
/// Types are compared as RFC 2045 requires: the case of types, subtypes and parameter names does not matter, nor do the
/// order of parameters, unnecessary quotation marks, blanks around “;”, and the case of a `charset` (RFC 2046 §4.1.2).
/// A bare name such as `UTF8_STRING` is an X11 atom and equal only to itself. The original spelling is kept.
public struct ContentType: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a type in bytes, including its parameters.
    public static let maximumBytes = 255

    /// The type as it was written. For an identifier in ``uniformTypes``, this is the corresponding MIME type.
    public let text: String
    /// The type and subtype in lower case, such as `text/plain`; a bare name is unchanged.
    public let essence: String
    /// The parameters, sorted by name.
    let parameters: [Parameter]

    /// Parses a MIME type with or without parameters (RFC 2045 §5.1), the bare name of an X11 target, or a uniform type
    /// identifier, which becomes its MIME type if ``uniformTypes`` has one.
    public init(_ text: String) throws(Invalid) {
        if ContentTypeGrammar.isEssence(text) {
            (self.text, essence, parameters) = (text, text, [])
            return
        }
        if text == Self.utf8PlainText.text {
            self = .utf8PlainText
            return
        }
        let written = Self.mimeType(ofUniformType: text) ?? text
        var grammar = try ContentTypeGrammar(written)
        (essence, parameters) = try grammar.parse()
        self.text = written
    }

    private init(canonical essence: String, _ parameters: Parameter...) {
        (self.essence, self.parameters) = (essence, parameters)
        text = essence + parameters.map(\.spelling).joined()
    }

    public var description: String { text }

    /// The canonical spelling, which all equal types share: `text/plain;charset=utf-8`.
    package var canonical: String { essence + parameters.map(\.spelling).joined() }

    public static func == (left: ContentType, right: ContentType) -> Bool {
        left.essence == right.essence && left.parameters == right.parameters
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(essence)
        hasher.combine(parameters)
    }

    struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        let name: String
        /// The value without quotation marks; the value of `charset` is in lower case.
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
    /// Text in UTF-8. Items made from strings have this type.
    public static let utf8PlainText = ContentType(canonical: "text/plain", Parameter(name: "charset", value: "utf-8"))
    /// Text with no declared character set.
    public static let plainText = ContentType(canonical: "text/plain")
    /// URLs, one per line; RFC 2483 §5.
    public static let url = ContentType(canonical: "text/uri-list")
    /// An HTML page or fragment.
    public static let html = ContentType(canonical: "text/html")
    /// A JSON text; RFC 8259 §11.
    public static let json = ContentType(canonical: "application/json")
    /// A PNG image.
    public static let png = ContentType(canonical: "image/png")
    /// A JPEG image.
    public static let jpeg = ContentType(canonical: "image/jpeg")
    /// Bytes of an unknown type; RFC 2046 §4.5.1.
    public static let octetStream = ContentType(canonical: "application/octet-stream")

    /// Whether this is an image type; RFC 2046 §4.2.
    public var isImage: Bool { essence.hasPrefix("image/") }

    /// Whether values of this type are text, provided that their bytes are valid UTF-8.
    package var isText: Bool { essence.hasPrefix("text/") || isUTF8PlainText }

    /// Whether values of this type are plain text in UTF-8, or in its subset US-ASCII.
    package var isUTF8PlainText: Bool {
        if essence == "UTF8_STRING" { return true }
        let charset = parameters.first { $0.name == "charset" }?.value ?? "utf-8"
        return essence == "text/plain" && (charset == "utf-8" || charset == "us-ascii")
    }
}

// MARK: Password managers

extension ContentType {
    /// The type that password managers add to a copied secret, with any value. Clipboards such as KDE's recognize it.
    package static let passwordManagerHint = ContentType(canonical: "x-kde-passwordManagerHint")

    fileprivate var marksSecret: Bool { essence == Self.passwordManagerHint.essence }
}

extension PasteboardItem {
    /// Whether a password manager marked the item as a secret. Such an item is treated as sensitive.
    package var isMarkedSensitive: Bool { representations.contains { $0.type.marksSecret } }
}

extension Sequence<[ContentType]> {
    /// Whether a password manager marked promised content as a secret. Each element lists the types of one item.
    package var isMarkedSensitive: Bool { contains { $0.contains(where: \.marksSecret) } }
}
