/// Tasks that wait for a state change on the I/O thread.
@DBusActor
package final class Waiters {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated init() {}

    /// Waits for ``resumeOne()`` or ``resumeAll()`` if the condition holds.
    package func wait(while holds: () -> Bool) async {
        await withCheckedContinuation { continuation in
            // The condition is checked only here, because calling `withCheckedContinuation` may have suspended.
            if holds() { waiting.append(continuation) } else { continuation.resume() }
        }
    }

    /// Resumes the task that has waited longest.
    package func resumeOne() { if !waiting.isEmpty { waiting.removeFirst().resume() } }

    package func resumeAll() {
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }
}

/// A wait that ends with a result or at a deadline, whichever comes first.
@DBusActor
package final class LimitedWait<Result: Sendable> {
    private var continuation: CheckedContinuation<Result?, Never>?

    private init(_ continuation: CheckedContinuation<Result?, Never>) { self.continuation = continuation }

    private func end(_ result: Result?) {
        continuation?.resume(returning: result)
        continuation = nil
    }

    /// Starts an operation and waits until it completes.
    /// - Parameter begin: receives the closure that ends the wait; calling it after the deadline has no effect.
    /// - Returns: the result; `nil` if the deadline came first.
    package static func result(
        until deadline: ContinuousClock.Instant,
        _ begin: (_ end: @escaping @DBusActor @Sendable (Result) -> Void) -> Void
    ) async -> Result? {
        let timer = DBusTimer()
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let wait = LimitedWait(continuation)
            timer.set(at: deadline) { wait.end(nil) }
            begin { wait.end($0) }
        }
    }
}
