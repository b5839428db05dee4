import Synchronization

/// A label, and the text that is being entered after it, on one line.
struct Field: Sendable {
    var label: String
    var editor: LineEditor

    /// The output that draws the field on the cursor's line, in this many columns; the label is cut first.
    func drawing(columns: Int) -> String {
        let label = label.visible.prefix(columns: max(0, columns - 8))
        let (text, cursor) = editor.window(columns: columns - label.displayWidth)
        let column = label.displayWidth + cursor
        return Self.erasure + label + text + "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
    }

    static let erasure = "\r\u{1B}[K"
}

/// How the input of a line ended.
public enum Entry: Sendable, Hashable {
    /// The user pressed Enter.
    case line(String)
    /// The user pressed Escape, or Control-D on an empty line, or the task was cancelled.
    case cancelled
    /// The program was asked to exit: see ``TerminalEvent/interrupted(signal:)``.
    case interrupted(signal: Int32)
}

extension Terminal {
    /// Prints a line, above the field if one is shown. Control characters are made visible.
    public func say(_ text: String) {
        shown.withLock { shown in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.visible + "\n" }
            let field = shown.field?.drawing(columns: size.columns) ?? ""
            write(Field.erasure + lines.joined() + field)
        }
    }

    /// Shows a label and the text after it on the last line, replacing the previous ones.
    public func showField(_ label: String, _ editor: LineEditor) {
        shown.withLock { shown in
            let field = Field(label: label, editor: editor)
            write(field.drawing(columns: size.columns))
            shown.field = field
        }
    }

    /// Removes the field.
    public func hideField() {
        shown.withLock { shown in
            if shown.field != nil { write(Field.erasure) }
            shown.field = nil
        }
    }

    /// Waits until the program is asked to exit, and ignores what is typed until then.
    ///
    /// - Returns: the signal of ``TerminalEvent/interrupted(signal:)``, even if that event was read before; `nil` if
    ///   the task is cancelled or the terminal is closed.
    public func interruption() async -> Int32? {
        for await _ in events {}
        return shown.withLock { $0.ending }
    }

    /// Lets the user enter a line. The field is gone when this returns.
    ///
    /// - Parameters:
    ///   - label: the text in front of the input.
    ///   - editor: the initial text and cursor.
    ///   - shaping: called with the line after each change, whether a key, a paste or a deletion; returns the line to
    ///     show, or `nil` to reject the change.
    ///   - isComplete: whether Enter may submit the line.
    public func readLine(
        _ label: String, editor: LineEditor = LineEditor(), shaping: (LineEditor) -> LineEditor? = { $0 },
        isComplete: (String) -> Bool = { _ in true }
    ) async -> Entry {
        var editor = editor
        defer { hideField() }
        showField(label, editor)
        for await event in events {
            switch event {
            case .key(.enter) where isComplete(editor.text): return .line(editor.text)
            case .key(.escape): return .cancelled
            case .key(.control("d")) where editor.text.isEmpty: return .cancelled
            case .interrupted(let signal): return .interrupted(signal: signal)
            case .resized, .resumed: break
            default:
                var changed = editor
                guard changed.apply(event), let shaped = shaping(changed) else {
                    ring()
                    continue
                }
                editor = shaped
            }
            showField(label, editor)
        }
        return .cancelled
    }
}
