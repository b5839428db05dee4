/// The I/O thread, as a global actor: every connection of the process, and every actor that serves them, runs on it.
///
/// Code that is isolated to it runs *on* the thread that polls the sockets, so a message reaches its handler and the
/// answer reaches the socket without a change of thread. Never block here.
@globalActor
public actor DBusActor {
    public static let shared = DBusActor()
    static let thread = IOThread()
    /// The I/O thread, for tasks of others that are to stay on it.
    package static var executor: any TaskExecutor { thread }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.thread.asUnownedSerialExecutor() }

    /// Starts a task that stays on the I/O thread: tasks resume in order, without a change of thread.
    @discardableResult
    public static func task<Result: Sendable>(
        _ body: @escaping @DBusActor @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        Task(executorPreference: thread, operation: body)
    }

    /// Starts a task that begins before this returns, and runs to its first suspension. So handlers begin in the order of
    /// their calls, and one that need not wait is done at once. It resumes like other tasks.
    @DBusActor
    package static func begin(_ body: @escaping @DBusActor @Sendable () async -> Void) {
        thread.begin(body)
    }

    /// Runs `body` on the I/O thread, after earlier hand-overs. For other threads: a task that they start would begin later
    /// than one of the I/O thread.
    package static func handOver(_ body: @escaping @DBusActor @Sendable () -> Void) {
        thread.handOver(body)
    }

    /// Runs `body` on the I/O thread as soon as nothing is left to run there, before it sleeps.
    @DBusActor
    package static func whenIdle(_ body: @escaping @Sendable () -> Void) { thread.whenIdle(body) }

    /// Runs `body` on the I/O thread each time that nothing has happened there for a second after something had. There is
    /// one such body.
    @DBusActor
    package static func whenQuiet(_ body: @escaping @Sendable () -> Void) { thread.whenQuiet(body) }

    /// Whether this is the I/O thread.
    package static var isCurrent: Bool { thread.isIsolatingCurrentContext() == true }

    /// Runs `body` at once; the caller must already be on the I/O thread, as callbacks of sockets and timers are.
    package static func assumeIsolated<Result: Sendable, Failure: Error>(
        _ body: @DBusActor () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        thread.checkIsolated()
        // Like MainActor.assumeIsolated: the isolation was just checked, so the function type may lose it.
        return try withoutActuallyEscaping(body) { (body) throws(Failure) in
            try unsafeBitCast(body, to: (() throws(Failure) -> Result).self)()
        }
    }
}
