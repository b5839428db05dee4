internal import IPCDBus
internal import IPCInterface

/// A call that waits for a request to end.
@DBusActor
final class RequestWaiter {
    enum Role {
        /// The call that opened the URL. It is charged as a request.
        case sender
        /// A call that repeats the sender's call.
        case repetition
        /// A call that waits for the outcome of another call's request.
        case observer
        /// A call that has cancelled the request.
        case canceller
    }

    private static var last: UInt64 = 0

    /// Identifies the call. Later calls have higher numbers.
    let number: UInt64
    let caller: BusName?
    let role: Role
    /// Whether the reply may contain descriptors.
    let takesDescriptors: Bool
    /// The request that the call is waiting for.
    var request: PendingRequest?
    private var answer: DelayedAnswer<OpenURLResult>?
    private var timer: DBusTimer?

    init(_ caller: BusName?, _ role: Role, takesDescriptors: Bool) {
        Self.last += 1
        number = Self.last
        (self.caller, self.role, self.takesDescriptors) = (caller, role, takesDescriptors)
    }

    /// Whether the caller is a sender of the request, so that its departure may cancel the request.
    var isSender: Bool { role == .sender || role == .repetition }

    /// Whether the call counts against the limits on waiting calls. A call that cancels waits only for the disk.
    var isCharged: Bool { role == .repetition || role == .observer }

    /// Sets the closure that ``end(with:)`` calls with the result.
    func begin(_ answer: @escaping DelayedAnswer<OpenURLResult>) { self.answer = answer }

    /// Limits the wait. After this time, the call is answered with `result`.
    func giveUp(after time: Duration, _ result: @escaping @DBusActor () -> OpenURLResult) {
        let timer = DBusTimer()
        timer.set(at: .now + time) { [weak self] in self?.end(with: .success(result())) }
        self.timer = timer
    }

    func end(with result: Result<OpenURLResult, any Error>) {
        timer?.cancel()
        timer = nil
        request?.remove(self)
        request = nil
        let answer = answer
        self.answer = nil
        answer?(result)
    }
}

/// A set of waiting calls. Removing one takes constant time.
@DBusActor
struct RequestWaiters {
    private var waiters: [UInt64: RequestWaiter] = [:]

    var isEmpty: Bool { waiters.isEmpty }

    mutating func insert(_ waiter: RequestWaiter) { waiters[waiter.number] = waiter }

    /// - Returns: whether the call was in the set.
    @discardableResult
    mutating func remove(_ waiter: RequestWaiter) -> Bool { waiters.removeValue(forKey: waiter.number) != nil }

    /// Removes the calls that have cancelled the request, and returns them.
    mutating func takeCancellers() -> [RequestWaiter] {
        let cancellers = waiters.values.filter { $0.role == .canceller }
        for waiter in cancellers { remove(waiter) }
        return cancellers
    }

    /// Removes all waiters, and returns them in order of arrival.
    mutating func takeAll() -> [RequestWaiter] {
        defer { waiters = [:] }
        return waiters.values.sorted { $0.number < $1.number }
    }
}
