import Glibc
import Synchronization

/// One line of standard output that shows the last text; if it is not a terminal, each text is a line. It is for
/// programs that read no keys, and does not change the terminal's mode.
public final class LineDisplay: Sendable {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Keeps texts of several threads from mixing.
    private let turn = Mutex(())

    public init() {}

    deinit { if isTerminal { write("\n") } }

    /// Replaces the previous text, and cuts the new one at the edge; control characters are made visible.
    public func show(_ text: String) {
        turn.withLock { _ in
            guard isTerminal else { return write(text.visible + "\n") }
            // Text in the last column would begin another line.
            write(Field.erasure + text.visible.prefix(columns: Terminal.outputSize.columns - 1))
        }
    }

    private func write(_ text: String) { Terminal.writeOut(text) }
}
