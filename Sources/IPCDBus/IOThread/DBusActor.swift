/// The I/O thread as a global actor. Every connection of the process runs on it.
///
/// Isolated code runs *on* the thread that polls the sockets. A message reaches its handler, and the answer reaches the
/// socket, without a thread switch. Never block here.
@globalActor
public actor DBusActor {
    public static let shared = DBusActor()
    static let thread = IOThread()
    /// The I/O thread as a task executor, for tasks of other modules that should stay on the thread.
    package static var executor: any TaskExecutor { thread }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.thread.asUnownedSerialExecutor() }

    /// Starts a task that stays on the I/O thread: it resumes there in order, without a thread switch.
    @discardableResult
    public static func task<Result: Sendable>(
        _ body: @escaping @DBusActor @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        Task(executorPreference: thread, operation: body)
    }

    /// Starts a task, and runs it up to its first suspension before this returns, so handlers start in the order of
    /// their calls. A handler that does not suspend finishes before this returns.
    @DBusActor
    package static func begin(_ body: @escaping @DBusActor @Sendable () async -> Void) {
        thread.begin(body)
    }

    /// Runs `body` on the I/O thread, after everything handed over before it. Other threads should use this instead of
    /// starting a task, which would begin later than a task started on the I/O thread.
    package static func handOver(_ body: @escaping @DBusActor @Sendable () -> Void) {
        thread.handOver(body)
    }

    /// Runs closures on the I/O thread, in order, after those handed over earlier. Each is released once it has run.
    package static func handOver(_ bodies: [@Sendable () -> Void]) { thread.handOver(bodies) }

    /// Runs `body` on the I/O thread once no other job is waiting there, before the thread sleeps.
    @DBusActor
    package static func whenIdle(_ body: @escaping @Sendable () -> Void) { thread.whenIdle(body) }

    /// Runs `body` each time the I/O thread has been idle for a second after work. Another call replaces `body`.
    @DBusActor
    package static func whenQuiet(_ body: @escaping @Sendable () -> Void) { thread.whenQuiet(body) }

    package static var isCurrent: Bool { thread.isIsolatingCurrentContext() == true }

    /// Runs `body` immediately.
    /// - Precondition: the caller is on the I/O thread.
    package static func assumeIsolated<Result: Sendable, Failure: Error>(
        _ body: @DBusActor () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        thread.checkIsolated()
        // As in MainActor.assumeIsolated: the isolation was checked above, so the cast may remove it from the type.
        return try withoutActuallyEscaping(body) { (body) throws(Failure) in
            try unsafeBitCast(body, to: (() throws(Failure) -> Result).self)()
        }
    }
}
