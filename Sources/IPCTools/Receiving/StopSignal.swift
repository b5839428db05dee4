private import Glibc
private import IPC
private import Synchronization

internal import enum IPCDBus.Background
internal import class IPCDBus.DBusActor

/// Counts SIGTERM, SIGINT and SIGHUP as requests to stop: the first signal stops the wait for work, and the second one
/// stops the work itself. A signal that was ignored when the process started (`nohup`, a background job) stays ignored.
package final class StopSignal: Sendable {
    private struct State {
        var signals = 0
        var last: UInt64 = 0
        var actions: [UInt64: (signals: Int, action: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Starts listening for signals, which then no longer kill the process. The process's first thread must run
    /// ``attend()``. A second call has no effect.
    package func listen() {
        let isFirst = listening.withLock { listener in
            guard listener == nil else { return false }
            listener = self
            return true
        }
        guard isFirst else { return }
        // Wakes the process's first thread, which then reads `listening`.
        SignalArrivals.add(0)
        SignalArrivals.begin()
    }

    /// Treats a closed standard output as a signal. A program that only waits would not notice it otherwise.
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

    /// Makes writing to a closed pipe or socket fail with an error instead of killing the process.
    package func ignoreClosedOutput() { signal(SIGPIPE, SIG_IGN) }

    private func waitForClosedOutput() -> UnsafeMutableRawPointer? {
        // poll(2) reports that the reader has closed the pipe, even if no events are requested.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 0 && errno == EINTR {}
        raise()
        return nil
    }

    /// Runs `body` on the I/O thread, where answers from the bus arrive, and cancels its task once `signals` signals
    /// have arrived, or immediately if they already have.
    package func run<Result: Sendable>(
        untilSignal signals: Int, _ body: @escaping @DBusActor @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = DBusActor.task {
            // The action that is added below could cancel the task too late, because it runs on another thread.
            if self.hasCome(signals) { withUnsafeCurrentTask { $0?.cancel() } }
            return try await body()
        }
        let number = add(signals) { task.cancel() }
        defer { remove(number) }
        return try await task.value
    }

    /// Runs `body`. Also runs `action` once `signals` signals have arrived, or immediately if they already have.
    package func run<Result, Failure: Error>(
        atSignal signals: Int, _ action: @escaping @Sendable () -> Void,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let number = add(signals, action)
        defer { remove(number) }
        return try await body()
    }

    /// Runs blocking work on a separate thread.
    /// - Returns: `nil` if `signals` signals arrive first. The work then continues until the process exits.
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

    /// Runs `cleanUp` and exits the process at once when `signals` signals have arrived.
    package func endProcess(atSignal signals: Int, _ cleanUp: @escaping @Sendable () -> Void) {
        _ = add(signals) {
            cleanUp()
            _exit(ExitCode.cancelled.rawValue)
        }
    }

    package func hasCome(_ signals: Int) -> Bool { state.withLock { $0.signals >= signals } }

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

    /// Waits for signals on the process's first thread, and reports them to the listener.
    package static func attend() -> Never {
        // The first byte does not stand for a signal: ``listen()`` sends it to announce the listener.
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
