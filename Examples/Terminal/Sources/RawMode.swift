import Glibc
import Synchronization

/// Keeps what the terminal was before, and gives it back at every end of the process: ``leave()``, `exit`, a signal, a crash.
///
/// The terminal's own signal keys stay on: Control-C is SIGINT, Control-Z stops the process. So one way serves them and `kill`.
enum RawMode {
    /// Alternate screen, bracketed paste (xterm, “DEC Private Mode Set”).
    struct Sequences {
        let enter: String
        let leave: String

        static let inline = Sequences(enter: "\u{1B}[?2004h", leave: "\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h")
        static let fullScreen = Sequences(
            enter: "\u{1B}[?1049h" + inline.enter, leave: inline.leave + "\u{1B}[?1049l")
    }

    /// What the signal handlers need. They may run at any moment and may not allocate, lock or await.
    private struct Saved {
        var original = termios()
        /// What the signals did before, by their numbers.
        var actions: UnsafeMutablePointer<sigaction>
        var enter: UnsafeMutableBufferPointer<UInt8>
        var leave: UnsafeMutableBufferPointer<UInt8>
        var signals: Int32
    }

    /// Written once, before the first handler is installed; a signal handler can be given no context.
    private nonisolated(unsafe) static var saved: Saved?
    private static let isRaw = Atomic(false)
    private static let hasEnding = Atomic(false)

    /// Signals that become events, through the pipe.
    static let watched = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]
    /// Signals of a crash: the terminal is given back, and what was to happen happens.
    private static let fatal = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Begins: raw mode, signals into the pipe `signals` as one byte each.
    ///
    /// - Throws: ``TerminalError``, when a terminal was opened before in this process, or cannot be set.
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

    /// Ends what ``begin(_:signals:)`` began.
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
        // What caused the signal, or else this, causes it again when the handler has returned: for who was here before.
        restoreAction(of: signal)
        raise(signal)
    }

    /// Raw mode, and what belongs to it.
    static func enter() {
        guard let saved else { return }
        var raw = saved.original
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        raw.c_iflag |= tcflag_t(IUTF8)
        raw.c_cflag |= tcflag_t(CS8)
        // Output stays processed, so that “\n” begins a line.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        withUnsafeMutableBytes(of: &raw.c_cc) { controls in
            controls[Int(VMIN)] = 1
            controls[Int(VTIME)] = 0
        }
        isRaw.store(true, ordering: .relaxed)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        Glibc.write(STDOUT_FILENO, saved.enter.baseAddress, saved.enter.count)
    }

    /// The terminal as it was; nothing when it is so already. May be called by a signal handler.
    static func leave() {
        guard isRaw.exchange(false, ordering: .relaxed), var original = saved?.original else { return }
        if let leave = saved?.leave { Glibc.write(STDOUT_FILENO, leave.baseAddress, leave.count) }
        tcsetattr(STDIN_FILENO, TCSANOW, &original)
    }

    /// Stops the process as Control-Z would; returns when it goes on.
    static func stop() {
        leave()
        takeDefault(of: SIGTSTP)
        install({ RawMode.noticed($0) }, for: SIGTSTP)
        enter()
    }

    /// Ends the process by this signal, so that who waits for it sees how it ended.
    static func die(of signal: Int32) -> Never {
        leave()
        takeDefault(of: signal)
        _exit(128 + signal)
    }

    /// Does here what the signal does without a handler. Threads of a pool block signals, and so do those that they start.
    private static func takeDefault(of signal: Int32) {
        install(SIG_DFL, for: signal)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
    }
}
