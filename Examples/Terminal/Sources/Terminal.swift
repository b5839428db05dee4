import Foundation
import Glibc
import Synchronization

/// The terminal in which the program runs: its keys as a sequence of events, and its whole screen.
///
/// ```swift
/// let terminal = try Terminal.open()
/// defer { terminal.close() }
/// for await event in terminal.events {
///     var canvas = Canvas(size: terminal.size)
///     canvas.write("\(event)", at: Position(row: 0, column: 0), style: .bold)
///     terminal.show(canvas)
/// }
/// ```
///
/// However the process exits, the terminal is restored.
public final class Terminal: Sendable {
    private struct State {
        /// `nil` if the terminal is closed.
        var screen: Screen?
        /// The signal that asked the program to exit.
        var ending: Int32?
    }

    private let state = Mutex(State())
    private let queue = EventQueue()
    /// A pipe through which signals arrive, one byte each; 0 ends the thread that reads it.
    private let signals: (read: Int32, write: Int32)

    private init(signals: (read: Int32, write: Int32)) { self.signals = signals }

    /// Opens standard input and output as a terminal: keys arrive at once and are not echoed, and the screen is blank until
    /// ``close()`` shows the previous one.
    ///
    /// - Throws: ``TerminalError`` if they are not a terminal, it cannot move its cursor, or it was opened before.
    public static func open() throws(TerminalError) -> Terminal {
        guard isatty(STDIN_FILENO) == 1 else { throw .noTerminal(stream: "standard input") }
        guard isatty(STDOUT_FILENO) == 1 else { throw .noTerminal(stream: "standard output") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed(call: "pipe", code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        try RawMode.begin(pipe: ends[1])
        let terminal = Terminal(signals: (ends[0], ends[1]))
        let isOpen = terminal.state.withLock { state in
            state.screen = Screen()
            return state.screen != nil
        }
        guard isOpen else {
            RawMode.end()
            throw .failed(call: "newterm", code: errno)
        }
        Thread.detachNewThread { terminal.readEvents() }
        return terminal
    }

    /// Restores the terminal. Its events end, and it shows nothing more.
    public func close() {
        state.withLock { $0.screen = nil }
        RawMode.end()
        queue.end()
        var stop: UInt8 = 0
        Glibc.write(signals.write, &stop, 1)
    }

    /// Restores the terminal and ends the process by a signal, as if the signal had not been caught. Call this after
    /// ``TerminalEvent/interrupted(signal:)``, so that a shell sees the reason.
    public func end(by signal: Int32) -> Never {
        close()
        RawMode.die(of: signal)
    }

    /// The events on the terminal, in order. Only one task may read at a time.
    ///
    /// They end with ``TerminalEvent/interrupted(signal:)`` or ``close()``. A loop in a cancelled task also ends, and
    /// another loop continues where it stopped.
    public var events: AsyncStream<TerminalEvent> { AsyncStream { [queue] in await queue.next() } }

    /// Waits until the program is asked to exit, and ignores what is typed until then.
    ///
    /// - Returns: the signal of ``TerminalEvent/interrupted(signal:)``, even if that event was read before; `nil` if
    ///   the task is cancelled or the terminal is closed.
    public func interruption() async -> Int32? {
        for await _ in events {}
        return state.withLock { $0.ending }
    }

    /// Discards keys that were typed and not read yet. Call this before a question that the user could not foresee.
    public func forgetTyped() {
        tcflush(STDIN_FILENO, TCIFLUSH)
        queue.removeTyped()
    }

    /// The current size; 80 × 24 if the terminal does not report one.
    public var size: TerminalSize { Self.currentSize }

    static var currentSize: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Shows the canvas; only the differences from the last one are sent.
    public func show(_ canvas: Canvas) { state.withLock { $0.screen?.show(canvas) } }

    /// Makes a short sound or flash, for input that was rejected.
    public func ring() { state.withLock { $0.screen?.ring() } }

    /// Reads keys and signals until the end, on its own thread.
    private func readEvents() {
        var ready = [signals.read, STDIN_FILENO].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&ready, 2, -1) > 0 else { continue }
            var signal: UInt8 = 0
            if ready[0].revents != 0, Glibc.read(signals.read, &signal, 1) == 1 {
                guard take(Int32(signal)) else { return }
            } else if ready[1].revents == Int16(POLLIN) {
                state.withLock { $0.screen?.read() ?? [] }.forEach(queue.add)
            } else if ready[1].revents != 0 {
                return interrupt(SIGHUP)
            }
        }
    }

    /// - Returns: whether more events can follow.
    private func take(_ signal: Int32) -> Bool {
        switch signal {
        case 0: return false
        case SIGWINCH: queue.add(.resized(size))
        case SIGTSTP, SIGCONT:
            state.withLock { state in
                guard let screen = state.screen else { return }
                if signal == SIGTSTP { RawMode.stop() } else { RawMode.enter() }
                screen.forget()
            }
            queue.add(.resumed)
        default:
            interrupt(signal)
            return false
        }
        return true
    }

    private func interrupt(_ signal: Int32) {
        state.withLock { $0.ending = signal }
        queue.add(.interrupted(signal: signal))
        queue.end()
    }
}
