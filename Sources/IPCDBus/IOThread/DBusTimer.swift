/// One deadline on the I/O thread. If it is set again, the new deadline replaces it.
@DBusActor
public final class DBusTimer {
    private var armed: ScheduledAction?
    /// The time of the action; `nil` while it is not set.
    public var deadline: ContinuousClock.Instant? { armed?.deadline }

    public var isSet: Bool { armed != nil }

    public init() {}
    isolated deinit { cancel() }

    public func set(at deadline: ContinuousClock.Instant, _ action: @escaping @DBusActor () -> Void) {
        cancel()
        armed = DBusActor.thread.schedule(at: deadline) { [weak self] in
            self?.armed = nil
            action()
        }
    }

    public func cancel() {
        if let armed { DBusActor.thread.cancel(armed) }
        armed = nil
    }
}
