private import CLinux
private import Glibc
private import Synchronization

internal import class IPCDBus.DBusActor

/// SIGTERM, SIGINT and SIGHUP as requests to stop, counted: the first one ends the wait for work, the second one work.
///
/// A signal that was ignored when the process started (`nohup`, a job in the background) stays ignored.
package final class StopSignal: Sendable {
    private struct State {
        var signals = 0
        var last: UInt64 = 0
        var actions: [UInt64: (signals: Int, action: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Starts to listen. To be called once in a process, which is never ended by these signals afterwards; its first
    /// thread is in ``attend()``.
    package func listen() {
        listening.withLock { $0 = self }
        eventfd_write(arrivals, 1)
        for number in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(number) {
            // All that may be called in a signal handler, signal-safety(7).
            signal(number) { _ in _ = eventfd_write(arrivals, 1) }
        }
    }

    /// Counts it as a signal when nobody reads standard output any more, which a program that waits for something to
    /// write would not notice. A closed pipe or socket then is an error of writing and no end of the process.
    package func listenForClosedOutput() {
        signal(SIGPIPE, SIG_IGN)
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self).toOpaque()
        let failed = pthread_create(
            &thread, nil, { Unmanaged<StopSignal>.fromOpaque($0!).takeRetainedValue().waitForClosedOutput() }, me)
        guard failed == 0 else { return Unmanaged<StopSignal>.fromOpaque(me).release() }
        pthread_detach(thread)
    }

    private func waitForClosedOutput() -> UnsafeMutableRawPointer? {
        // Nothing is asked for: the end of the reader is told unasked, poll(2).
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 0 && errno == EINTR {}
        raise()
        return nil
    }

    /// Runs `body` and cancels its task when this many signals have come, at once if they have come already.
    package func run<Result: Sendable>(
        untilSignal signals: Int, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await value(of: Task { try await body() }, untilSignal: signals)
    }

    /// The same for a wait for the bus, which goes on where its answer comes in: two changes of thread less.
    package func wait<Result: Sendable>(
        untilSignal signals: Int, _ body: @escaping @DBusActor @Sendable () async throws -> Result
    ) async throws -> Result {
        try await value(of: DBusActor.task(body), untilSignal: signals)
    }

    private func value<Result: Sendable>(
        of task: Task<Result, any Error>, untilSignal signals: Int
    ) async throws -> Result {
        let number = add(signals) { task.cancel() }
        defer { remove(number) }
        return try await task.value
    }

    /// Runs `body`, and `action` once when this many signals have come, at once if they have come already.
    package func run<Result, Failure: Error>(
        atSignal signals: Int, _ action: @escaping @Sendable () -> Void,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let number = add(signals, action)
        defer { remove(number) }
        return try await body()
    }

    /// Whether this many signals have come.
    package func hasCome(_ signals: Int) -> Bool { state.withLock { $0.signals >= signals } }

    /// Lets the next signal end the process, as if nobody had listened.
    package func leaveToSystem() {
        for number in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(number) { signal(number, SIG_DFL) }
    }

    /// Counts one signal and runs what waited for it.
    func raise() {
        let due = state.withLock { state in
            state.signals += 1
            let signals = state.signals
            return state.actions.values.filter { $0.signals <= signals }.map(\.action)
        }
        for action in due { action() }
    }

    private func add(_ signals: Int, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isDue) = state.withLock { state in
            state.last += 1
            state.actions[state.last] = (signals, action)
            return (state.last, state.signals >= signals)
        }
        if isDue { action() }
        return number
    }

    private func remove(_ number: UInt64) { state.withLock { _ = $0.actions.removeValue(forKey: number) } }

    /// What the first thread of a process does that has nothing else to do: it waits for signals for whoever listens.
    package static func attend() -> Never {
        var count: eventfd_t = 0
        while eventfd_read(arrivals, &count) != 0 {}
        // The first one to arrive was the listener. From now on this thread lets signals in, because the threads of
        // Swift's pool and of Dispatch do not.
        count -= 1
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        let listener = listening.withLock { $0 }
        while true {
            for _ in 0..<count { listener?.raise() }
            while eventfd_read(arrivals, &count) != 0 {}
        }
    }

    private func isIgnored(_ number: Int32) -> Bool {
        clinux_is_ignored(number) != 0
    }
}

/// Where the signal handler writes: a handler has no context.
private let arrivals = eventfd(0, CInt(EFD_CLOEXEC))

private let listening = Mutex<StopSignal?>(nil)
