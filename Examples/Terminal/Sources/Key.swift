/// A key, as a terminal sends it. Shift, Alt and Control are ignored for arrows and similar keys.
public enum Key: Sendable, Hashable {
    /// A character that was typed. An emoji that a terminal sends in pieces arrives in pieces; ``LineEditor`` joins
    /// them.
    case character(Character)
    case enter, tab, backTab, escape
    /// Deletes the character before the cursor.
    case backspace
    /// Deletes the character at the cursor.
    case delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with Control held, in lower case.
    case control(Character)
}

/// An event on a terminal.
public enum TerminalEvent: Sendable, Hashable {
    case key(Key)
    /// Pasted text, complete; line breaks are `\n`.
    case paste(String)
    case resized(TerminalSize)
    /// The program was stopped (Control-Z) and continues. Its output on the terminal may have been overwritten.
    case resumed
    /// SIGINT (Control-C), SIGTERM or SIGHUP, or the terminal was closed (SIGHUP). This is the last event: close the
    /// terminal and exit. A second signal restores the terminal and ends the process.
    case interrupted(signal: Int32)

    var isTyped: Bool {
        switch self {
        case .key, .paste: true
        default: false
        }
    }
}

/// The size of a terminal in columns and rows, both at least 1.
public struct TerminalSize: Sendable, Hashable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) { (self.columns, self.rows) = (max(1, columns), max(1, rows)) }
}
