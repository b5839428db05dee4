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

    /// Waits for the end with a closure.
    func begin(_ answer: @escaping DelayedAnswer<OpenURLResult>) { self.answer = answer }

    /// Waits until the request ends, or the time is over.
    /// - Parameters:
    ///   - begin: runs when the wait has begun.
    ///   - gaveUp: the result when the time is over.
    func wait(
        for time: Duration? = nil, begin: @DBusActor () -> Void,
        gaveUp: @escaping @DBusActor () -> OpenURLResult
    ) async throws -> OpenURLResult {
        try await withCheckedThrowingContinuation { continuation in
            self.begin { continuation.resume(with: $0) }
            if let time {
                let timer = DBusTimer()
                timer.set(at: .now + time) { [weak self] in self?.end(with: .success(gaveUp())) }
                self.timer = timer
            }
            begin()
        }
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
