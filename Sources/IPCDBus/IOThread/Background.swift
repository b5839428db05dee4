internal import CLinux
private import Dispatch
private import Synchronization

/// Threads for blocking calls, outside the I/O thread and the cooperative pool. They exit when no call is waiting. They
/// are not libdispatch threads, because libdispatch would check its pools every second for as long as the process runs.
package enum Background {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var running = 0
    }

    private static let state = Mutex(State())
    /// The maximum number of threads. It is limited because some calls may never return.
    private static let most = 64

    /// Runs two closures, in parallel if a thread is free for the second, and returns when both have finished.
    package static func both<First, Second: Sendable>(
        _ first: () -> First, _ second: @escaping @Sendable () -> Second
    ) -> (First, Second) {
        let shared = SharedStep(second)
        add { shared.run() }
        let made = first()
        // If no thread has started the second closure, run it here: all threads may stay busy for a long time.
        shared.run()
        return (made, shared.awaitResult())
    }

    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in add { continuation.resume(returning: body()) } }
    }

    /// Runs a call that may block forever, and waits for it until the deadline.
    /// - Returns: the result; `nil` if the call has not returned by the deadline. A later result is discarded.
    @DBusActor
    package static func run<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Result
    ) async -> Result? {
        await LimitedWait.result(until: deadline) { end in
            add {
                let result = body()
                DBusActor.handOver { end(result) }
            }
        }
    }

    private static func add(_ job: @escaping @Sendable () -> Void) {
        let isNew = state.withLock { state in
            state.waiting.append(job)
            guard state.running < most else { return false }
            state.running += 1
            return true
        }
        guard isNew, clinux_start_thread("background", { _ in Background.work() }, nil) != 0 else { return }
        // The system cannot create another thread. A running thread takes the job; if there is none, it runs here.
        let isAlone = state.withLock { state in
            guard state.running > 1 else { return true }
            state.running -= 1
            return false
        }
        if isAlone { work() }
    }

    private static func work() {
        while let job = next() { job() }
    }

    private static func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}

/// Work that runs once, on whichever of several threads starts it first.
private final class SharedStep<Result: Sendable>: Sendable {
    private let body: @Sendable () -> Result
    private let isTaken = Atomic(false)
    private let result = Mutex<Result?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Result) { self.body = body }

    func run() {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        let made = body()
        result.withLock { $0 = made }
        done.signal()
    }

    func awaitResult() -> Result {
        done.wait()
        return result.withLock { $0! }
    }
}
