internal import IPCDBus

/// The requests that were delivered and not yet taken by a consumer.
///
/// Bounded by the window that was registered: the broker has no more on their way than that.
@DBusActor
final class RequestInbox {
    private typealias Next = Result<OpenURLRequest?, IPCError>

    private var waiting: [OpenURLRequest] = []
    private var consumers: [(number: UInt64, continuation: CheckedContinuation<Next, Never>)] = []
    private var last: UInt64 = 0
    private var ended: Next?

    func add(_ request: OpenURLRequest) {
        guard ended == nil else { return request.handBack() }
        guard !consumers.isEmpty else { return waiting.append(request) }
        consumers.removeFirst().continuation.resume(returning: .success(request))
    }

    /// Takes out a request that no consumer has taken.
    func remove(_ id: String) -> OpenURLRequest? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    /// The next request, to the consumer that asked first; `nil` at the end, and when the task is cancelled.
    func next() async throws(IPCError) -> OpenURLRequest? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        if let ended { return try ended.get() }
        guard !Task.isCancelled else { return nil }
        last += 1
        let number = last
        let next = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The way here may have been a suspension of its own.
                if !waiting.isEmpty {
                    continuation.resume(returning: Next.success(waiting.removeFirst()))
                } else if let ended {
                    continuation.resume(returning: ended)
                } else {
                    consumers.append((number, continuation))
                }
            }
        } onCancel: {
            Task { @DBusActor in self.giveUp(number) }
        }
        return try next.get()
    }

    private func giveUp(_ number: UInt64) {
        guard let place = consumers.firstIndex(where: { $0.number == number }) else { return }
        consumers.remove(at: place).continuation.resume(returning: .success(nil))
    }

    /// Ends the sequence, with an error or in good order; what no consumer has taken goes back to the broker.
    func end(with error: IPCError?) {
        guard ended == nil else { return }
        let end: Next = error.map { .failure($0) } ?? .success(nil)
        ended = end
        for request in waiting { request.handBack() }
        waiting = []
        let all = consumers
        consumers = []
        for consumer in all { consumer.continuation.resume(returning: end) }
    }
}
