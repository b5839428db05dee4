import Glibc
import Synchronization

/// Shows the latest text on one line of standard output. If standard output is not a terminal, each text gets its own
/// line. This is for programs that read no keys; it does not change the terminal's mode.
public final class LineDisplay: Sendable {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Keeps the output of different threads from interleaving.
    private let turn = Mutex(())

    public init() {}

    deinit { if isTerminal { write("\n") } }

    /// Replaces the previous text, and cuts the new one at the edge; control characters are made visible.
    public func show(_ text: String) {
        turn.withLock { _ in
            guard isTerminal else { return write(text.visible + "\n") }
            // Leave the last column empty, because text in it would make some terminals begin another line.
            write(Field.erasure + text.visible.prefix(columns: Terminal.outputSize.columns - 1))
        }
    }

    private func write(_ text: String) { Terminal.writeOut(text) }
}
