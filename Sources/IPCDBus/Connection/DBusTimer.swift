/// One deadline on the I/O thread; setting it again replaces it.
@DBusActor
public final class DBusTimer {
    private var number: UInt64?
    /// When it runs; `nil` while it is not set.
    public private(set) var deadline: ContinuousClock.Instant?

    public var isSet: Bool { number != nil }

    public init() {}
    isolated deinit { cancel() }

    public func set(at deadline: ContinuousClock.Instant, _ action: @escaping @DBusActor () -> Void) {
        cancel()
        self.deadline = deadline
        number = DBusActor.thread.schedule(at: deadline) { [weak self] in
            DBusActor.assumeIsolated {
                self?.number = nil
                self?.deadline = nil
                action()
            }
        }
    }

    public func cancel() {
        if let number { DBusActor.thread.cancel(number) }
        number = nil
        deadline = nil
    }
}
