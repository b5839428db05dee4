import Glibc
import Synchronization

/// One line of standard output that shows the last text; where that is no terminal, each text is a line. For programs that read
/// no keys: nothing of the terminal is changed.
public final class LineDisplay: Sendable {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Texts come whole, whoever shows them.
    private let turn = Mutex(())

    public init() {}

    deinit { if isTerminal { write("\n") } }

    /// Shows the text in the place of the one before, cut at the edge; control characters are made visible.
    public func show(_ text: String) {
        turn.withLock { _ in
            guard isTerminal else { return write(text.visible + "\n") }
            // A full last column would begin another line.
            write(Field.erasure + text.visible.prefix(columns: Terminal.outputSize.columns - 1))
        }
    }

    private func write(_ text: String) { Terminal.writeOut(text) }
}
