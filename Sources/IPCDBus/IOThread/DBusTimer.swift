/// A timer with one deadline on the I/O thread. Setting it again replaces the deadline.
@DBusActor
public final class DBusTimer {
    private var armed: ScheduledAction?
    /// When the action is due; `nil` if the timer is not set.
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
