import IPC
import IPCModel

/// The content to take from a program that has copied something, given its targets. Each content is taken only once.
/// Targets are X11's names for content types, which Wayland uses, too (ICCCM §2.6.2, and MIME types by convention).
struct TakenTargets {
    struct Row {
        let type: ContentType
        /// The targets that provide the content, the best first. If one provides nothing, the next one is tried.
        let targets: [String]
    }

    /// The types of content to take, in the order in which the program offers them.
    let rows: [Row]
    /// Whether a password manager has marked the copy. If so, none of its content is taken.
    let isSecret: Bool

    init(_ targets: [String]) {
        isSecret = targets.contains(ContentType.passwordManagerHint.text)
        let types = targets.map { try? ContentType($0) }
        let hasPNG = types.contains(.png)
        let texts = Self.texts(targets)
        var rows: [Row] = []
        var seen: Set<ContentType> = []
        for (target, type) in zip(targets, types) {
            if texts.contains(target) {
                if seen.insert(.utf8PlainText).inserted { rows.append(Row(type: .utf8PlainText, targets: texts)) }
            } else if let type, Self.isContent(type), !(hasPNG && Self.isInPNG(type)), seen.insert(type).inserted {
                rows.append(Row(type: type, targets: [target]))
            }
        }
        self.rows = rows
    }

    /// The plain text targets. A target that names its encoding comes first.
    private static func texts(_ targets: [String]) -> [String] {
        let spelled = targets.filter { (try? ContentType($0)).map { $0 == .utf8PlainText } ?? false }
        let named = ["UTF8_STRING", "text/plain", "TEXT", "STRING"].filter(targets.contains)
        return spelled.prefix(1) + named
    }

    /// Whether a target stands for content. A name without a slash requests information (`TIMESTAMP`) or an action
    /// (`DELETE`), or is understood only by programs of one kind.
    private static func isContent(_ type: ContentType) -> Bool { type.essence.contains("/") }

    /// Whether a picture is only another form of a PNG in the same copy. Programs offer a picture in every format that
    /// they can write, and have to encode it on each request. Drawings and animations do not count: they are more than
    /// pixels.
    private static func isInPNG(_ type: ContentType) -> Bool {
        type.isImage && type != .png && !["image/svg+xml", "image/gif", "image/apng"].contains(type.essence)
    }

    /// Converts clipboard content to a pasteboard value; `nil` if text is not in the encoding of its target.
    static func value(_ content: ClipboardContent, as type: ContentType) -> Representation.Value? {
        guard type == .utf8PlainText else { return content.value }
        let bytes = content.value.content
        let text =
            content.target == "STRING"
            // The text is in ISO 8859-1 (ICCCM §2.6.2), whose code points are those of Unicode.
            ? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            : String(validating: bytes, as: UTF8.self)
        // A D-Bus string cannot contain U+0000, so such text is stored as bytes.
        return text.map { $0.utf8.contains(0) ? .bytes(Array($0.utf8)) : .text($0) }
    }
}
