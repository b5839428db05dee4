package import IPC
private import IPCModel

/// How a received message becomes one line of text.
///
/// A text stands there as it is, but for these: a backslash is `\\`, a line end `\n` or `\r`, and any other character that
/// could end a line or move a cursor is `\u` with four hexadecimal digits; a tab stays. `printf %b` of most shells turns
/// that back. A message without text is a line that starts with `\(`, as no text does.
package enum MessageLine {
    package static func line(url: String, payload: Payload) -> String {
        if let text = text(of: payload) { return escaped(text) }
        guard let first = payload.items.first?.representations.first else {
            return "\\(no payload: \(escaped(url)))"
        }
        return "\\(no text: \(escaped(first.type.text)), \(first.byteCount) bytes)"
    }

    /// The first item's text; bytes that should be text and are not are no text, and nor is what fits no message inline.
    static func text(of payload: Payload) -> String? {
        for item in payload.items where item.preferred?.byteCount ?? 0 <= InputFile.mostBytes {
            if let text = item.string { return text }
        }
        return nil
    }

    /// The text on one line.
    package static func escaped(_ text: String) -> String {
        text.spelling { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\t": nil
            default: scalar.lineSpelling
            }
        }
    }
}
