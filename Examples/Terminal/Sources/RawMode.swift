import CNcurses
import Glibc
import Synchronization

/// Saves the terminal's settings, and restores them whenever the process exits: ``leave()``, `exit`, a signal, a crash.
/// A signal handler cannot do this with ncurses' `endwin`, which allocates.
///
/// The terminal's signal keys stay on: Control-C sends SIGINT, Control-Z stops the process. So the keys act like `kill`.
enum RawMode {
    /// The data for the signal handlers, which may run at any moment and must not allocate, lock or await.
    private struct Saved {
        var original = termios()
        /// The previous action of each signal, at the signal's number.
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        /// What to send on entering and leaving raw mode.
        let enter: UnsafeMutableBufferPointer<UInt8>
        let leave: UnsafeMutableBufferPointer<UInt8>
        /// The pipe to which each watched signal is written as one byte.
        let signals: Int32
    }

    /// Written once, before the first handler is installed. It is global because a signal handler gets no context.
    private nonisolated(unsafe) static var saved: Saved?
    private static let isRaw = Atomic(false)

    /// The signals that become events, through the pipe.
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
    /// The signals of a crash. The terminal is restored, and then the signal takes effect as if it had not been caught.
    private static let fatal = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Enters raw mode, and writes each signal to the pipe `signals` as one byte.
    ///
    /// - Throws: ``TerminalError`` if this process opened a terminal before, or the terminal cannot be used.
    static func begin(signals: Int32) throws(TerminalError) {
        guard saved == nil else { throw .openedBefore }
        var reason: Int32 = 0
        guard setupterm(nil, STDOUT_FILENO, &reason) == OK, !capability("cup").isEmpty else { throw .noCursor }
        let reset = capability("op") + capability("sgr0") + capability("rmkx") + capability("cnorm")
        let restored = capability("rmcup").isEmpty ? capability("clear") : capability("rmcup")
        // Bracketed paste is not in terminfo (xterm, “DEC Private Mode Set”).
        var saved = Saved(
            enter: copy(capability("smcup") + capability("smkx") + "\u{1B}[?2004h"),
            leave: copy("\u{1B}[?2004l" + reset + restored), signals: signals)
        guard tcgetattr(STDIN_FILENO, &saved.original) == 0 else { throw .failed(call: "tcgetattr", code: errno) }
        for signal in watched + fatal { sigaction(signal, nil, saved.actions + Int(signal)) }
        self.saved = saved
        enter()
        for signal in watched { install({ RawMode.noticed($0) }, for: signal) }
        for signal in fatal { install({ RawMode.crashed($0) }, for: signal) }
        atexit { RawMode.leave() }
    }

    /// What the terminal needs for an action (terminfo(5)), without delays; empty if it cannot do it.
    private static func capability(_ name: String) -> String {
        tigetstr(name).map { String(cString: $0).replacing(/\$<[^>]*>/, with: "") } ?? ""
    }

    private static func copy(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    /// Undoes ``begin(signals:)``.
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
        var byte = UInt8(truncatingIfNeeded: signal)
        if let pipe = saved?.signals { Glibc.write(pipe, &byte, 1) }
        // The first request to exit becomes an event. The second one ends the process.
        if signal == SIGINT || signal == SIGTERM || signal == SIGHUP {
            install({ RawMode.crashed($0) }, for: SIGINT)
            install({ RawMode.crashed($0) }, for: SIGTERM)
            install({ RawMode.crashed($0) }, for: SIGHUP)
        }
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
        cfmakeraw(&raw)
        raw.c_lflag |= tcflag_t(ISIG)
        isRaw.store(true, ordering: .relaxed)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        Glibc.write(STDOUT_FILENO, saved.enter.baseAddress, saved.enter.count)
    }

    /// Restores the terminal; does nothing if that was already done. A signal handler may call this.
    static func leave() {
        guard isRaw.exchange(false, ordering: .relaxed), let saved else { return }
        var original = saved.original
        Glibc.write(STDOUT_FILENO, saved.leave.baseAddress, saved.leave.count)
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
