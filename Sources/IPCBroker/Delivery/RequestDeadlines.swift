internal import IPCDBus

/// Requests by the time at which each is to be looked at: a binary heap in which every request knows its place, so that
/// one is taken out without a search and without a table.
@DBusActor
struct RequestDeadlines {
    private var heap: [PendingRequest] = []

    /// The earliest time.
    var first: ContinuousClock.Instant? { heap.first?.lookedAt }

    /// Has a request looked at in time for its deadline. A look that comes before it does no harm, and costs less than
    /// to move the request at each change.
    mutating func watch(_ request: PendingRequest) {
        guard let deadline = request.deadline else { return }
        if let set = request.lookedAt {
            guard deadline < set else { return }
            remove(request)
        }
        request.lookedAt = deadline
        request.deadlinePlace = heap.count
        heap.append(request)
        rise(request)
    }

    /// Takes a request out, if it is there.
    mutating func remove(_ request: PendingRequest) {
        guard request.lookedAt != nil else { return }
        let last = heap.removeLast()
        if last !== request {
            put(last, at: request.deadlinePlace)
            rise(last)
            sink(last)
        }
        (request.lookedAt, request.deadlinePlace) = (nil, -1)
    }

    /// Takes out the request whose time has come first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> PendingRequest? {
        guard let first = heap.first, Self.time(first) <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func rise(_ request: PendingRequest) {
        while request.deadlinePlace > 0 {
            let above = heap[(request.deadlinePlace - 1) / 2]
            guard Self.time(request) < Self.time(above) else { return }
            exchange(request, above)
        }
    }

    private mutating func sink(_ request: PendingRequest) {
        while true {
            let child = 2 * request.deadlinePlace + 1
            guard child < heap.count else { return }
            var earliest = heap[child]
            if child + 1 < heap.count, Self.time(heap[child + 1]) < Self.time(earliest) { earliest = heap[child + 1] }
            guard Self.time(earliest) < Self.time(request) else { return }
            exchange(request, earliest)
        }
    }

    private mutating func exchange(_ one: PendingRequest, _ other: PendingRequest) {
        let place = one.deadlinePlace
        put(one, at: other.deadlinePlace)
        put(other, at: place)
    }

    private mutating func put(_ request: PendingRequest, at place: Int) {
        heap[place] = request
        request.deadlinePlace = place
    }

    private static func time(_ request: PendingRequest) -> ContinuousClock.Instant { request.lookedAt ?? .now }
}
