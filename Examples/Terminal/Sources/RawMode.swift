import Glibc
import Synchronization

/// Saves the terminal's settings, and restores them whenever the process exits: ``leave()``, `exit`, a signal, a crash.
///
/// The terminal's signal keys stay on: Control-C sends SIGINT, Control-Z stops the process. So the keys act like `kill`.
enum RawMode {
    /// What to send on entering and leaving raw mode (xterm, “DEC Private Mode Set”).
    struct Sequences {
        let enter: String
        let leave: String

        static let inline = Sequences(enter: "\u{1B}[?2004h", leave: "\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h")
        static let fullScreen = Sequences(
            enter: "\u{1B}[?1049h" + inline.enter, leave: inline.leave + "\u{1B}[?1049l")
    }

    /// The data for the signal handlers, which may run at any moment and must not allocate, lock or await.
    private struct Saved {
        var original = termios()
        /// The previous action of each signal, at the signal's number.
        var actions: UnsafeMutablePointer<sigaction>
        var enter: UnsafeMutableBufferPointer<UInt8>
        var leave: UnsafeMutableBufferPointer<UInt8>
        var signals: Int32
    }

    /// Written once, before the first handler is installed. It is global because a signal handler gets no context.
    private nonisolated(unsafe) static var saved: Saved?
    private static let isRaw = Atomic(false)
    private static let hasEnding = Atomic(false)

    /// The signals that become events, through the pipe.
    static let watched = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
    /// The signals of a crash. The terminal is restored, and then the signal takes effect as if it had not been caught.
    private static let fatal = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Enters raw mode, and writes each signal to the pipe `signals` as one byte.
    ///
    /// - Throws: ``TerminalError`` if this process opened a terminal before, or the terminal cannot be set.
    static func begin(_ sequences: Sequences, signals: Int32) throws(TerminalError) {
        guard saved == nil else { throw .openedBefore }
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        for signal in watched + fatal { sigaction(signal, nil, actions + Int(signal)) }
        var saved = Saved(
            actions: actions, enter: copy(sequences.enter), leave: copy(sequences.leave), signals: signals)
        guard tcgetattr(STDIN_FILENO, &saved.original) == 0 else { throw .failed(call: "tcgetattr", code: errno) }
        self.saved = saved
        _ = isRaw.load(ordering: .relaxed)
        _ = hasEnding.load(ordering: .relaxed)
        for signal in watched { install({ RawMode.noticed($0) }, for: signal) }
        for signal in fatal { install({ RawMode.crashed($0) }, for: signal) }
        atexit { RawMode.leave() }
        enter()
    }

    private static func copy(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    /// Undoes ``begin(_:signals:)``.
    static func end() {
        leave()
        for signal in watched + fatal { restoreAction(of: signal) }
    }

    private static func install(_ handler: __sighandler_t?, for signal: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigaction(signal, &action, nil)
    }

    private static func restoreAction(of signal: Int32) {
        if let actions = saved?.actions { sigaction(signal, actions + Int(signal), nil) }
    }

    private static func noticed(_ signal: Int32) {
        let before = errno
        let ends = signal == SIGINT || signal == SIGTERM || signal == SIGHUP
        if ends, hasEnding.exchange(true, ordering: .relaxed) { die(of: signal) }
        var byte = UInt8(truncatingIfNeeded: signal)
        if let pipe = saved?.signals { Glibc.write(pipe, &byte, 1) }
        errno = before
    }

    private static func crashed(_ signal: Int32) {
        leave()
        // Restore the signal's previous action. When this handler returns, the signal occurs again, because of `raise` or
        // because the faulty instruction runs again.
        restoreAction(of: signal)
        raise(signal)
    }

    /// Enters raw mode and sends the escape sequences that belong to it.
    static func enter() {
        guard let saved else { return }
        var raw = saved.original
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        raw.c_iflag |= tcflag_t(IUTF8)
        raw.c_cflag |= tcflag_t(CS8)
        // Output is still processed, so that “\n” begins a new line.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        withUnsafeMutableBytes(of: &raw.c_cc) { controls in
            controls[Int(VMIN)] = 1
            controls[Int(VTIME)] = 0
        }
        isRaw.store(true, ordering: .relaxed)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        Glibc.write(STDOUT_FILENO, saved.enter.baseAddress, saved.enter.count)
    }

    /// Restores the terminal; does nothing if that was already done. A signal handler may call this.
    static func leave() {
        guard isRaw.exchange(false, ordering: .relaxed), var original = saved?.original else { return }
        if let leave = saved?.leave { Glibc.write(STDOUT_FILENO, leave.baseAddress, leave.count) }
        tcsetattr(STDIN_FILENO, TCSANOW, &original)
    }

    /// Stops the process as Control-Z would; returns when it continues.
    static func stop() {
        leave()
        takeDefault(of: SIGTSTP)
        install({ RawMode.noticed($0) }, for: SIGTSTP)
        enter()
    }

    /// Ends the process by this signal, so that its parent sees the reason.
    static func die(of signal: Int32) -> Never {
        leave()
        takeDefault(of: signal)
        _exit(128 + signal)
    }

    /// Raises the signal with its default action on this thread, which may be a pool thread that blocks signals.
    private static func takeDefault(of signal: Int32) {
        install(SIG_DFL, for: signal)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
    }
}
