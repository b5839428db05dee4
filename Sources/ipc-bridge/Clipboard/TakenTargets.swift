import IPCModel

/// What is taken of the targets in which a program offers what it has copied: each content once.
///
/// Targets are the names of X11's selections, which Wayland's programs use too (ICCCM §2.6.2, and MIME types by convention).
struct TakenTargets: Sendable, Hashable {
    /// One content of the clipboard.
    struct Row: Sendable, Hashable {
        /// What it becomes on a pasteboard.
        let type: ContentType
        /// The targets under which it can be asked for, the best first; the next one where one gives nothing.
        let targets: [String]
    }

    /// In the order in which they are offered.
    let rows: [Row]
    /// Whether a password manager has marked it, whatever else is there: nothing of it is taken.
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

    /// The names of plain text among the targets, the one that says most of its encoding first.
    private static func texts(_ targets: [String]) -> [String] {
        let spelled = targets.filter { (try? ContentType($0)).map { $0 == .utf8PlainText } ?? false }
        let named = ["UTF8_STRING", "text/plain", "TEXT", "STRING"].filter(targets.contains)
        return spelled.prefix(1) + named
    }

    /// A name without a slash is none of a content: it asks the owner for something (`TIMESTAMP`), or to do something
    /// (`DELETE`), or means something to programs of one kind only.
    private static func isContent(_ type: ContentType) -> Bool { type.essence.contains("/") }

    /// Whether a picture beside a PNG is the same once more. Programs offer each picture in all formats that they can write,
    /// and have to encode it in each that is asked for. A drawing and an animation are more than pixels.
    private static func isInPNG(_ type: ContentType) -> Bool {
        type.isImage && type != .png && !["image/svg+xml", "image/gif", "image/apng"].contains(type.essence)
    }
}

extension TakenTargets {
    /// The content of a row as a pasteboard has it; nil where the bytes are not what their target says.
    static func value(_ content: ClipboardContent, as type: ContentType) -> Representation.Value? {
        guard type == .utf8PlainText else { return .bytes(content.bytes) }
        let text =
            content.target == "STRING"
            // ICCCM §2.6.2: ISO 8859-1, whose numbers are those of Unicode.
            ? String(String.UnicodeScalarView(content.bytes.map { Unicode.Scalar($0) }))
            : String(validating: content.bytes, as: UTF8.self)
        // A D-Bus string ends at U+0000; bytes do not.
        return text.map { $0.utf8.contains(0) ? .bytes(Array($0.utf8)) : .text($0) }
    }
}
