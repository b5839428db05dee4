private import Glibc
private import IPC
private import Synchronization

internal import enum IPCDBus.Background
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
        // Tells the first thread that there is a listener.
        SignalArrivals.add(0)
        SignalArrivals.begin()
    }

    /// Counts it as a signal when nobody reads standard output any more, which a program that waits for something to
    /// write would not notice. A closed pipe or socket then is an error of writing and no end of the process.
    package func listenForClosedOutput() {
        ignoreClosedOutput()
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self).toOpaque()
        let failed = pthread_create(
            &thread, nil, { Unmanaged<StopSignal>.fromOpaque($0!).takeRetainedValue().waitForClosedOutput() }, me)
        guard failed == 0 else { return Unmanaged<StopSignal>.fromOpaque(me).release() }
        pthread_detach(thread)
    }

    /// A closed pipe or socket then is an error of writing and no end of the process.
    package func ignoreClosedOutput() { signal(SIGPIPE, SIG_IGN) }

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
        let task = Task {
            cancelIfDue(signals)
            return try await body()
        }
        return try await value(of: task, untilSignal: signals)
    }

    /// The same for a wait for the bus, which goes on where its answer comes in: two changes of thread less.
    package func wait<Result: Sendable>(
        untilSignal signals: Int, _ body: @escaping @DBusActor @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = DBusActor.task {
            self.cancelIfDue(signals)
            return try await body()
        }
        return try await value(of: task, untilSignal: signals)
    }

    /// Cancels the task that this runs in. From outside it could be too late: the task runs on another thread.
    private func cancelIfDue(_ signals: Int) {
        if hasCome(signals) { withUnsafeCurrentTask { $0?.cancel() } }
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

    /// Does work that blocks on a thread of its own.
    /// - Returns: `nil` where this many signals have come before its end; it then goes on for as long as the process does.
    package func end<Result: Sendable>(
        of work: @escaping @Sendable () -> Result, untilSignal signals: Int
    ) async -> Result? {
        let (ends, end) = AsyncStream<Result?>.makeStream()
        return await run(atSignal: signals) {
            end.yield(nil)
        } _: {
            Task { end.yield(await Background.run(work)) }
            for await first in ends { return first }
            return nil
        }
    }

    /// Whether this many signals have come.
    package func hasCome(_ signals: Int) -> Bool { state.withLock { $0.signals >= signals } }

    /// Lets the next signal end the process, as if nobody had listened.
    package func leaveToSystem() { SignalArrivals.leaveToSystem() }

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
        // The first one to arrive is the listener.
        waitForArrival()
        SignalArrivals.admit()
        let listener = listening.withLock { $0 }
        while true {
            waitForArrival()
            listener?.raise()
        }
    }

    private static func waitForArrival() {
        var byte: UInt8 = 0
        while read(SignalArrivals.descriptor, &byte, 1) != 1 {}
    }
}

private let listening = Mutex<StopSignal?>(nil)
