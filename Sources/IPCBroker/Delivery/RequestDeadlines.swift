internal import IPCDBus

/// Requests by the time at which each is to be looked at: a binary heap in which every request knows its place, so that
/// one is taken out without a search and without a table.
@DBusActor
struct RequestDeadlines {
    /// The time stands beside the request: to compare times is most of the work.
    private struct Entry {
        let time: ContinuousClock.Instant
        let request: PendingRequest
    }

    private var heap: [Entry] = []

    /// The earliest time.
    var first: ContinuousClock.Instant? { heap.first?.time }

    /// Has a request looked at in time for its deadline. A look that comes before it does no harm, and costs less than
    /// to move the request at each change.
    mutating func watch(_ request: PendingRequest) {
        guard let deadline = request.deadline else { return }
        let entry = Entry(time: deadline, request: request)
        if request.deadlinePlace < 0 {
            heap.append(entry)
            rise(entry, from: heap.count - 1)
        } else if deadline < heap[request.deadlinePlace].time {
            rise(entry, from: request.deadlinePlace)
        }
    }

    /// Takes a request out, if it is there.
    mutating func remove(_ request: PendingRequest) {
        let place = request.deadlinePlace
        guard place >= 0 else { return }
        request.deadlinePlace = -1
        let last = heap.removeLast()
        guard last.request !== request else { return }
        let isEarlier = place > 0 && last.time < heap[(place - 1) / 2].time
        if isEarlier { rise(last, from: place) } else { sink(last, from: place) }
    }

    /// Takes out the request whose time has come first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> PendingRequest? {
        guard let first = heap.first, first.time <= now else { return nil }
        remove(first.request)
        return first.request
    }

    /// Puts an entry into a gap, or above it.
    private mutating func rise(_ entry: Entry, from gap: Int) {
        var gap = gap
        while gap > 0, entry.time < heap[(gap - 1) / 2].time {
            put(heap[(gap - 1) / 2], at: gap)
            gap = (gap - 1) / 2
        }
        put(entry, at: gap)
    }

    /// Puts an entry into a gap, or below it.
    private mutating func sink(_ entry: Entry, from gap: Int) {
        var gap = gap
        while 2 * gap + 1 < heap.count {
            var child = 2 * gap + 1
            if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
            guard heap[child].time < entry.time else { break }
            put(heap[child], at: gap)
            gap = child
        }
        put(entry, at: gap)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        entry.request.deadlinePlace = place
    }
}
