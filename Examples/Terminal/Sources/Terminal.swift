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
    /// `nil` if the terminal is closed.
    private let screen: Mutex<Screen?>
    private let queue = EventQueue()
    /// A pipe through which signals arrive, one byte each; 0 ends the thread that reads it.
    private let signals: (read: Int32, write: Int32)

    private init(signals: (read: Int32, write: Int32)) {
        self.signals = signals
        screen = Mutex(Screen())
    }

    /// Opens standard input and output as a terminal: keys arrive at once and are not echoed, and the screen is blank until
    /// ``close()`` shows the previous one.
    ///
    /// - Throws: ``TerminalError`` if they are not a terminal, if it cannot move its cursor, or if it was opened before.
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
        Thread.detachNewThread { terminal.readEvents() }
        return terminal
    }

    /// Restores the terminal. Its events end, and it shows nothing more.
    public func close() {
        screen.withLock { $0 = nil }
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

    /// Discards keys that were typed but not read yet. Call this before a question that the user cannot expect.
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

    /// Shows the canvas; ncurses sends only the differences from the previous one.
    public func show(_ canvas: Canvas) { screen.withLock { $0?.show(canvas) } }

    /// Makes a short sound or flash, for input that was rejected.
    public func ring() { screen.withLock { $0?.ring() } }

    /// Reads keys and signals until the end, on its own thread.
    private func readEvents() {
        var ready = [signals.read, STDIN_FILENO].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&ready, 2, -1) > 0 else { continue }
            var signal: UInt8 = 0
            if ready[0].revents != 0, Glibc.read(signals.read, &signal, 1) == 1 {
                guard take(Int32(signal)) else { return }
            } else if ready[1].revents == Int16(POLLIN) {
                screen.withLock { $0?.read() ?? [] }.forEach(queue.add)
            } else if ready[1].revents != 0 {
                return queue.end(with: .interrupted(signal: SIGHUP))
            }
        }
    }

    /// Handles a signal.
    /// - Returns: whether more events can follow.
    private func take(_ signal: Int32) -> Bool {
        switch signal {
        case 0: return false
        case SIGWINCH: queue.add(.resized(size))
        case SIGTSTP, SIGCONT:
            screen.withLock { screen in
                guard let screen else { return }
                if signal == SIGTSTP { RawMode.stop() } else { RawMode.enter() }
                screen.forget()
            }
            queue.add(.resumed)
        default:
            queue.end(with: .interrupted(signal: signal))
            return false
        }
        return true
    }
}
