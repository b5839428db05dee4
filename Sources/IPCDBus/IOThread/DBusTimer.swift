/// One deadline on the I/O thread; setting it again replaces it.
@DBusActor
public final class DBusTimer {
    private var armed: (number: UInt64, deadline: ContinuousClock.Instant)?
    /// The time of the action; `nil` while it is not set.
    public var deadline: ContinuousClock.Instant? { armed?.deadline }

    public var isSet: Bool { armed != nil }

    public init() {}
    isolated deinit { cancel() }

    public func set(at deadline: ContinuousClock.Instant, _ action: @escaping @DBusActor () -> Void) {
        cancel()
        let number = DBusActor.thread.schedule(at: deadline) { [weak self] in
            DBusActor.assumeIsolated {
                self?.armed = nil
                action()
            }
        }
        armed = (number, deadline)
    }

    public func cancel() {
        if let armed { DBusActor.thread.cancel(armed.number) }
        armed = nil
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

    /// Begins an operation and waits until it has ended.
    /// - Parameter begin: receives the closure that ends the wait; calls of it after the deadline have no effect.
    /// - Returns: `nil` at the deadline.
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
