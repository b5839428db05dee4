import CNcurses
import Glibc
import Synchronization

/// Saves the terminal's settings, and restores them whenever the process exits: ``leave()``, `exit`, a signal, a crash.
/// A signal handler cannot do this with ncurses' `endwin`, which allocates.
///
/// The signal keys stay enabled: Control-C sends SIGINT, and Control-Z stops the process. So these keys act like `kill`.
enum RawMode {
    /// The data for the signal handlers, which may run at any moment and must not allocate, lock or await.
    private struct Saved {
        var original = termios()
        /// The previous action of each signal, at the signal's number.
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        /// The bytes to send when entering raw mode again, and when leaving it.
        let enter, leave: UnsafeMutablePointer<CChar>
        /// The pipe to which each watched signal is written as one byte.
        let pipe: Int32
    }

    /// Written once, before the first handler is installed. It is global because a signal handler gets no context.
    private nonisolated(unsafe) static var saved: Saved?
    private static let isRaw = Atomic(false)

    /// Bracketed paste, which terminfo does not describe (xterm, “DEC Private Mode Set”).
    private static let (pasteOn, pasteOff) = ("\u{1B}[?2004h", "\u{1B}[?2004l")

    /// The signals that become events, through the pipe.
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
    /// The signals of a crash. The terminal is restored, and then the signal takes effect as if it had not been caught.
    private static let fatal = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Enters raw mode, and writes each signal to the pipe as one byte.
    ///
    /// - Throws: ``TerminalError`` if this process has already opened a terminal, or the terminal cannot be used.
    static func begin(pipe: Int32) throws(TerminalError) {
        guard saved == nil else { throw .openedBefore }
        var reason: Int32 = 0
        guard setupterm(nil, STDOUT_FILENO, &reason) == OK, !capability("cup").isEmpty else { throw .noCursor }
        let previous = capability("rmcup").isEmpty ? capability("clear") : capability("rmcup")
        let reset = capability("op") + capability("sgr0") + capability("rmkx") + capability("cnorm") + previous
        var saved = Saved(
            enter: strdup(capability("smcup") + capability("smkx")), leave: strdup(Self.pasteOff + reset), pipe: pipe)
        guard tcgetattr(STDIN_FILENO, &saved.original) == 0 else { throw .failed(call: "tcgetattr", code: errno) }
        for number in watched + fatal { sigaction(number, nil, saved.actions + Int(number)) }
        self.saved = saved
        setModes()
        for number in watched { signal(number) { RawMode.noticed($0) } }
        for number in fatal { signal(number) { RawMode.takePrevious(of: $0) } }
        atexit { RawMode.leave() }
    }

    /// The byte sequence of a capability (terminfo(5)), without delays; empty if the terminal lacks the capability.
    private static func capability(_ name: String) -> String {
        tigetstr(name).map { String(cString: $0).replacing(/\$<[^>]*>/, with: "") } ?? ""
    }

    /// Undoes ``begin(pipe:)``.
    static func end() {
        leave()
        for number in watched + fatal { restoreAction(of: number) }
    }

    private static func restoreAction(of number: Int32) {
        if let actions = saved?.actions { sigaction(number, actions + Int(number), nil) }
    }

    private static func noticed(_ number: Int32) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        if let pipe = saved?.pipe { write(pipe, &byte, 1) }
        // The first request to exit becomes an event. The second one ends the process.
        if number == SIGINT || number == SIGTERM || number == SIGHUP {
            signal(SIGINT) { RawMode.takePrevious(of: $0) }
            signal(SIGTERM) { RawMode.takePrevious(of: $0) }
            signal(SIGHUP) { RawMode.takePrevious(of: $0) }
        }
        errno = before
    }

    /// Restores the terminal and the signal's previous action. When this handler returns, the signal occurs again, because
    /// of `raise` or because the faulty instruction runs again.
    private static func takePrevious(of number: Int32) {
        leave()
        restoreAction(of: number)
        raise(number)
    }

    /// Sets the modes that ncurses does not: the kernel does not process keys, except signal keys, and pastes are marked.
    private static func setModes() {
        guard var raw = saved?.original else { return }
        cfmakeraw(&raw)
        raw.c_lflag |= tcflag_t(ISIG)
        isRaw.store(true, ordering: .relaxed)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        write(STDOUT_FILENO, pasteOn, pasteOn.utf8.count)
    }

    /// Enters raw mode again after the process was stopped.
    static func enter() {
        if let enter = saved?.enter { write(STDOUT_FILENO, enter, strlen(enter)) }
        setModes()
    }

    /// Restores the terminal; does nothing if it is already restored. A signal handler may call this.
    static func leave() {
        guard isRaw.exchange(false, ordering: .relaxed), var saved else { return }
        write(STDOUT_FILENO, saved.leave, strlen(saved.leave))
        tcsetattr(STDIN_FILENO, TCSANOW, &saved.original)
    }

    /// Stops the process as Control-Z would; returns when it continues.
    static func stop() {
        leave()
        // The caller knows that the process continues, so SIGCONT need not become an event.
        signal(SIGCONT, SIG_DFL)
        takeDefault(of: SIGTSTP)
        for number in [SIGTSTP, SIGCONT] { signal(number) { RawMode.noticed($0) } }
        enter()
    }

    /// Ends the process by this signal, so that its parent sees the reason.
    static func die(of number: Int32) -> Never {
        leave()
        takeDefault(of: number)
        _exit(128 + number)
    }

    /// Raises the signal with its default action. Unblocks it first, because a thread of a pool may block signals.
    private static func takeDefault(of number: Int32) {
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
