/// A key, as a terminal sends it. Shift, Alt and Control with an arrow or the like are passed over.
public enum Key: Sendable, Hashable {
    /// Text. An emoji that a terminal sends in pieces arrives in pieces; ``LineEditor`` puts them together.
    case character(Character)
    case enter, tab, backTab, escape
    /// Deletes what is before the cursor.
    case backspace
    /// Deletes what is at the cursor.
    case delete
    case up, down, left, right, home, end, pageUp, pageDown, insert
    /// With Control held; the letter is in lower case.
    case control(Character)
    /// With Alt held.
    case alt(Character)
    /// F1 is 1.
    case function(Int)
}

/// What happens on a terminal.
public enum TerminalEvent: Sendable, Hashable {
    case key(Key)
    /// Text that was pasted, whole; line breaks are `\n`.
    case paste(String)
    case resized(TerminalSize)
    /// The program was stopped (Control-Z) and goes on; what it had shown may be gone.
    case resumed
    /// SIGINT (Control-C), SIGTERM or SIGHUP, or the terminal is gone (SIGHUP). The last event: close the terminal and end. A
    /// second signal ends the process, with the terminal as it was.
    case interrupted(signal: Int32)
}

/// In columns and rows; both at least 1.
public struct TerminalSize: Sendable, Hashable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
    }
}
