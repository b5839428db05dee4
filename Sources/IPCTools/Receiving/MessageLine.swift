package import IPC
private import IPCModel

/// A received message as one line of text. The text is unchanged, with these exceptions: a backslash is `\\`, a line
/// end is `\n` or `\r`, and any other character that could end a line or move a cursor, except a tab, is `\u` with four
/// hexadecimal digits. `printf %b` in most shells restores the text. If a message has no text, its line starts with
/// `\(`, unlike any text.
package enum MessageLine {
    package static func line(url: String, payload: Payload) -> String {
        if let text = text(of: payload) { return escaped(text) }
        guard let first = payload.items.first?.representations.first else {
            return "\\(no payload: \(escaped(url)))"
        }
        return "\\(no text: \(escaped(first.type.text)), \(first.byteCount) bytes)"
    }

    /// The text of the first item that has text: valid UTF-8 that fits inline into a D-Bus message.
    private static func text(of payload: Payload) -> String? {
        for item in payload.items where item.preferred?.byteCount ?? 0 <= InputFile.mostBytes {
            if let text = item.string { return text }
        }
        return nil
    }

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
