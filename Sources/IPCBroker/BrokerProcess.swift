internal import CLinux
internal import Glibc
internal import IPCDBus
package import Logging
private import Synchronization

/// The broker as a whole process: its first thread waits for signals and does nothing else, so that it sleeps while there is
/// nothing to do.
package enum BrokerProcess {
    /// Serves until SIGTERM or SIGINT comes or the broker ends by itself. Call it on the first thread, before there is
    /// any other: the signals are blocked from here on.
    /// - Throws: what ``Broker/run(_:logger:until:)`` throws.
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
            // Also where a signal came at the same moment: the broker has ended.
            if let result = end.result { return try result.get() }
            arrival.yield()
        }
    }

    /// How the broker has ended.
    private final class End: Sendable {
        private let state = Mutex<Result<Void, any Error>?>(nil)

        var result: Result<Void, any Error>? { state.withLock { $0 } }

        func set(_ result: Result<Void, any Error>) { state.withLock { $0 = result } }
    }
}

/// SIGTERM and SIGINT, as something to wait for: blocked in every thread, and taken by the one that waits.
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

    /// Waits for one; on the thread that made this.
    func wait() {
        var (signals, number) = (Self.all, CInt(0))
        while sigwait(&signals, &number) != 0 {}
    }

    /// Lets the thread that waits go on, from another one.
    func stopWaiting() { pthread_kill(waiter, SIGTERM) }
}
