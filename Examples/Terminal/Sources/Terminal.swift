import Foundation
import Glibc
import Synchronization

/// The terminal in which the program runs: its keys as a sequence of events, and its output.
///
/// ```swift
/// let terminal = try Terminal.open(.fullScreen)
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
    /// What the terminal shows.
    public enum Mode: Sendable {
        /// Lines and a field below: ``Terminal/say(_:)``, ``Terminal/readLine(_:editor:shaping:isComplete:)``.
        case lines
        /// A separate screen, gone when the terminal is closed: ``Terminal/show(_:)``.
        case fullScreen
    }

    struct Shown: Sendable {
        var canvas: Canvas?
        var field: Field?
        /// The signal that asked the program to exit.
        var ending: Int32?
    }

    let shown = Mutex(Shown())
    private let queue = EventQueue()
    /// A pipe through which signals arrive, one byte each; 0 ends the thread that reads it.
    private let signals: (read: Int32, write: Int32)

    private init(signals: (read: Int32, write: Int32)) { self.signals = signals }

    /// Opens standard input and output as a terminal: keys arrive at once and are not echoed.
    ///
    /// - Throws: ``TerminalError`` if they are not a terminal, or the terminal was opened before.
    public static func open(_ mode: Mode) throws(TerminalError) -> Terminal {
        guard isatty(STDIN_FILENO) == 1 else { throw .noTerminal(stream: "standard input") }
        guard isatty(STDOUT_FILENO) == 1 else { throw .noTerminal(stream: "standard output") }
        let type = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !type.isEmpty, type != "dumb" else { throw .noCursor }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed(call: "pipe", code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        try RawMode.begin(mode == .fullScreen ? .fullScreen : .inline, signals: ends[1])
        let terminal = Terminal(signals: (ends[0], ends[1]))
        Thread.detachNewThread { terminal.readEvents() }
        return terminal
    }

    /// Restores the terminal. Its events end, and later output goes to the restored terminal.
    public func close() {
        hideField()
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
    public var events: TerminalEvents { TerminalEvents(queue: queue) }

    /// Discards keys that were typed and not read yet. Call this before a question that the user could not foresee.
    public func forgetTyped() {
        tcflush(STDIN_FILENO, TCIFLUSH)
        queue.removeTyped()
    }

    /// The current size; 80 × 24 if the terminal does not report one.
    public var size: TerminalSize { Self.outputSize }

    static var outputSize: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Shows the canvas on a full screen; only the differences from the last one are sent.
    public func show(_ canvas: Canvas) {
        shown.withLock { shown in
            write(canvas.change(from: shown.canvas))
            shown.canvas = canvas
        }
    }

    /// Makes a short sound or flash, for input that was rejected.
    public func ring() { write("\u{07}") }

    func write(_ text: String) { Self.writeOut(text) }

    static func writeOut(_ text: String) {
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let written = left.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                left = left.dropFirst(written)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return  // The terminal is gone, which also arrives as an event.
            }
        }
    }
}

extension Terminal {
    /// How long a received Escape waits for further bytes that would make it another key, in milliseconds.
    private static let escapeTime: Int32 = 50

    /// Reads keys and signals until the end, on its own thread.
    private func readEvents() {
        var parser = KeyParser()
        while true {
            var ready = [
                pollfd(fd: signals.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&ready, 2, parser.isUndecided ? Self.escapeTime : -1)
            if count == 0 { parser.decide().forEach(queue.add) }
            if ready[0].revents != 0 {
                for signal in read(signals.read) ?? [] {
                    guard take(Int32(signal)) else { return }
                }
            } else if ready[1].revents != 0 {
                guard let bytes = read(STDIN_FILENO) else { return interrupt(SIGHUP) }
                parser.feed(bytes).forEach(queue.add)
            }
        }
    }

    /// Reads the available bytes; `nil` at the end.
    private func read(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// - Returns: whether more events can follow.
    private func take(_ signal: Int32) -> Bool {
        switch signal {
        case 0: return false
        case SIGWINCH: queue.add(.resized(size))
        case SIGTSTP:
            shown.withLock { if $0.field != nil { write(Field.erasure) } }
            RawMode.stop()
            resume()
        case SIGCONT:
            RawMode.enter()
            resume()
        default:
            interrupt(signal)
            return false
        }
        return true
    }

    private func resume() {
        shown.withLock { $0.canvas = nil }
        queue.add(.resumed)
    }

    private func interrupt(_ signal: Int32) {
        shown.withLock { $0.ending = signal }
        queue.add(.interrupted(signal: signal))
        queue.end()
    }
}
