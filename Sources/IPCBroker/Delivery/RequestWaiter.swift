internal import IPCDBus
internal import IPCInterface

/// A call that waits for the end of a request.
@DBusActor
final class RequestWaiter {
    enum Role {
        /// The call that opened the URL. It is charged as a request.
        case sender
        /// The same call, made again.
        case repetition
        /// A call that asks for the outcome of another call's request.
        case observer
    }

    private static var last: UInt64 = 0

    /// Grows with each waiter.
    let number: UInt64
    let caller: BusName?
    let role: Role
    /// Whether the reply may have descriptors.
    let takesDescriptors: Bool
    /// The request, while the call waits.
    var request: PendingRequest?
    private var answer: DelayedAnswer<OpenURLResult>?
    private var timer: DBusTimer?

    init(_ caller: BusName?, _ role: Role, takesDescriptors: Bool) {
        Self.last += 1
        number = Self.last
        (self.caller, self.role, self.takesDescriptors) = (caller, role, takesDescriptors)
    }

    /// Whether the request is cancelled if the caller leaves.
    var isSender: Bool { role != .observer }

    /// Whether it counts against the limits of waiters.
    var isCharged: Bool { role != .sender }

    /// Waits until ``end(with:)`` gives the result.
    func begin(_ answer: @escaping DelayedAnswer<OpenURLResult>) { self.answer = answer }

    /// Limits the wait to this time; then `result` is the answer.
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

/// Waiting calls: each is removed at a constant cost, however many others there are.
@DBusActor
struct RequestWaiters {
    private var waiters: [UInt64: RequestWaiter] = [:]

    var isEmpty: Bool { waiters.isEmpty }

    mutating func insert(_ waiter: RequestWaiter) { waiters[waiter.number] = waiter }

    /// - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ waiter: RequestWaiter) -> Bool { waiters.removeValue(forKey: waiter.number) != nil }

    /// Removes all waiters, and returns them in the order of arrival.
    mutating func takeAll() -> [RequestWaiter] {
        defer { waiters = [:] }
        return waiters.values.sorted { $0.number < $1.number }
    }
}
