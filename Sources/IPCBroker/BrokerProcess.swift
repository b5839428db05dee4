internal import CLinux
internal import Glibc
internal import IPCDBus
private import Synchronization

/// Runs the broker as a process. The first thread only waits for signals, so an idle process sleeps.
package enum BrokerProcess {
    /// Serves until SIGTERM or SIGINT arrives or the broker stops on its own. This blocks ``ServiceSignals``, so call
    /// it on the first thread before any other thread exists.
    /// - Parameter read: reads the configuration, now and on each SIGHUP.
    /// - Throws: the errors of `read` and of ``Broker/run(_:reading:log:signals:)``.
    package static func run(
        reading read: @escaping @Sendable () throws -> BrokerConfiguration, log: LogOutput
    ) throws {
        clinux_occupy_standard_streams()
        let signals = ServiceSignals()
        let configuration = try read()
        let (arrivals, arrival) = AsyncStream<ServiceSignal>.makeStream()
        let end = End()
        DBusActor.task {
            do {
                try await Broker.run(configuration, reading: read, log: log, signals: arrivals)
                end.set(.success(()))
            } catch { end.set(.failure(error)) }
            signals.stopWaiting()
        }
        while true {
            let signal = signals.wait()
            // If there is a result, the broker has already stopped, even if a signal arrived at the same moment.
            if let result = end.result { return try result.get() }
            if let signal { arrival.yield(signal) }
        }
    }

    private final class End: Sendable {
        private let state = Mutex<Result<Void, any Error>?>(nil)

        var result: Result<Void, any Error>? { state.withLock { $0 } }

        func set(_ result: Result<Void, any Error>) { state.withLock { $0 = result } }
    }
}

/// What a signal asks the broker to do.
enum ServiceSignal: Sendable {
    /// SIGTERM or SIGINT.
    case stop
    /// SIGHUP: read the configuration and the installed claims again.
    case reload
    /// SIGUSR1: log the state.
    case report

    /// - Returns: `nil` for a signal that has no effect.
    fileprivate init?(_ number: CInt) {
        switch number {
        case SIGTERM, SIGINT: self = .stop
        case SIGHUP: self = .reload
        case SIGUSR1: self = .report
        default: return nil
        }
    }
}

/// The signals to the broker, blocked in every thread, and received by the thread that calls ``wait()``. SIGUSR2 is one
/// of them only because it would otherwise kill the process.
private struct ServiceSignals: Sendable {
    private let waiter = pthread_self()

    init() {
        var signals = Self.all
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var all: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2] { sigaddset(&signals, number) }
        return signals
    }

    func wait() -> ServiceSignal? {
        var (signals, number) = (Self.all, CInt(0))
        while sigwait(&signals, &number) != 0 {}
        return ServiceSignal(number)
    }

    /// Wakes the thread that is in ``wait()``. Call this on another thread.
    func stopWaiting() { pthread_kill(waiter, SIGTERM) }
}
