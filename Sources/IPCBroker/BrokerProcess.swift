internal import CLinux
internal import Glibc
internal import IPCDBus
package import Logging
private import Synchronization

/// Runs the broker as a process. The first thread only waits for signals, so an idle process sleeps.
package enum BrokerProcess {
    /// Serves until SIGTERM or SIGINT arrives or the broker stops on its own. This blocks both signals, so call it on
    /// the first thread before any other thread exists.
    /// - Throws: the errors of ``Broker/run(_:logger:until:)``.
    package static func run(_ configuration: BrokerConfiguration, logger: Logger) throws {
        clinux_occupy_standard_streams()
        let signals = TerminationSignals()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let end = End()
        DBusActor.task {
            do {
                try await Broker.run(configuration, logger: logger) { for await _ in arrivals { return } }
                end.set(.success(()))
            } catch { end.set(.failure(error)) }
            signals.stopWaiting()
        }
        while true {
            signals.wait()
            // If there is a result, the broker has already stopped, even if a signal arrived at the same moment.
            if let result = end.result { return try result.get() }
            arrival.yield()
        }
    }

    private final class End: Sendable {
        private let state = Mutex<Result<Void, any Error>?>(nil)

        var result: Result<Void, any Error>? { state.withLock { $0 } }

        func set(_ result: Result<Void, any Error>) { state.withLock { $0 = result } }
    }
}

/// SIGTERM and SIGINT, blocked in every thread, and received by the thread that calls ``wait()``.
private struct TerminationSignals: Sendable {
    private let waiter = pthread_self()

    init() {
        var signals = Self.all
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var all: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
        return signals
    }

    func wait() {
        var (signals, number) = (Self.all, CInt(0))
        while sigwait(&signals, &number) != 0 {}
    }

    /// Wakes the thread that is in ``wait()``. Call this on another thread.
    func stopWaiting() { pthread_kill(waiter, SIGTERM) }
}
