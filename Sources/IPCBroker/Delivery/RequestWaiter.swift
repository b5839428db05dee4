internal import IPCDBus
internal import IPCInterface

/// A call that waits for the end of a request.
@DBusActor
final class RequestWaiter {
    enum Role {
        /// The call that opened the URL: it is charged as a request.
        case sender
        /// The same call, made again.
        case repetition
        /// A call that asks for the outcome of another one's request.
        case observer
    }

    private static var last: UInt64 = 0

    /// Grows with each waiter.
    let number: UInt64
    let caller: BusName?
    let role: Role
    /// Whether the reply may have descriptors.
    let takesDescriptors: Bool
    /// The request that it stands at, while it waits.
    var request: PendingRequest?
    private var answer: DelayedAnswer<OpenURLResult>?
    private var timer: DBusTimer?

    init(_ caller: BusName?, _ role: Role, takesDescriptors: Bool) {
        Self.last += 1
        number = Self.last
        (self.caller, self.role, self.takesDescriptors) = (caller, role, takesDescriptors)
    }

    /// Whether its leaving cancels the request.
    var isSender: Bool { role != .observer }

    /// Whether it counts against the limits of waiters.
    var isCharged: Bool { role != .sender }

    /// Waits until ``end(with:)`` gives the result.
    func begin(_ answer: @escaping DelayedAnswer<OpenURLResult>) { self.answer = answer }

    /// Waits no longer than this; then `result` is the answer.
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

/// The waiters of a request: each leaves at a constant cost, however many others there are.
@DBusActor
struct RequestWaiters {
    private var waiters: [UInt64: RequestWaiter] = [:]

    var isEmpty: Bool { waiters.isEmpty }

    mutating func insert(_ waiter: RequestWaiter) { waiters[waiter.number] = waiter }

    mutating func remove(_ waiter: RequestWaiter) { waiters[waiter.number] = nil }

    /// Removes all waiters; in the order in which they came.
    mutating func takeAll() -> [RequestWaiter] {
        defer { waiters = [:] }
        return waiters.values.sorted { $0.number < $1.number }
    }
}
