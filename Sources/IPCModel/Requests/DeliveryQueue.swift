/// The requests that wait for one handler, in lines, and those that it has in hand.
///
/// A line is what one source sends to this handler. Within a line requests are delivered in the order in which they
/// came (I8); lines that have something waiting take turns, so that a source with a thousand requests does not keep
/// away one with a single request (I15). The handler never has more in hand than its window.
///
/// Nothing here takes longer when more is waiting.
package struct DeliveryQueue: Sendable {
    /// How many requests the handler takes at a time, at least 1; a smaller window holds from the next delivery on.
    package var window: Int {
        didSet { window = max(1, window) }
    }

    private var requests = LinkedLists<RequestID>()
    private var lines: [DeliveryLine: LinkedLists<RequestID>.Ends] = [:]
    private var lineOfRequest: [RequestID: DeliveryLine] = [:]
    private var turns = LinkedLists<DeliveryLine>()
    /// The lines that have something waiting; the first one is next.
    private var turn: LinkedLists<DeliveryLine>.Ends?
    private var inFlight: Set<RequestID> = []

    /// Makes an empty queue for a handler with a window of at least 1.
    package init(window: Int = 1) {
        self.window = max(1, window)
    }

    /// How many requests wait.
    package var waitingCount: Int { requests.count }

    /// How many requests the handler has in hand.
    package var inFlightCount: Int { inFlight.count }

    /// Whether nothing waits and nothing is in hand, so that the queue can go.
    package var isEmpty: Bool { requests.count == 0 && inFlight.isEmpty }

    /// Whether a request waits.
    package func isWaiting(_ id: RequestID) -> Bool { requests.contains(id) }

    /// Whether the handler has a request in hand.
    package func isInFlight(_ id: RequestID) -> Bool { inFlight.contains(id) }

    /// Puts a request at the end of its line; false, and no effect, for one that waits or is in hand already.
    @discardableResult
    package mutating func enqueue(_ id: RequestID, line: DeliveryLine) -> Bool {
        guard !requests.contains(id), !inFlight.contains(id) else { return false }
        if !turns.contains(line) { turns.append(line, to: &turn) }
        requests.append(id, to: &lines[line])
        lineOfRequest[id] = line
        return true
    }

    /// Takes the request that is to be delivered now: the first one of the line whose turn it is.
    ///
    /// - Returns: nil where nothing waits or the window is full.
    package mutating func next() -> RequestID? {
        guard inFlight.count < window, let id = takeFirst() else { return nil }
        inFlight.insert(id)
        return id
    }

    /// Notes that a request in hand has ended, which makes room; false for one that is not in hand.
    @discardableResult
    package mutating func finish(_ id: RequestID) -> Bool { inFlight.remove(id) != nil }

    /// Takes a request out that was not delivered yet; false, and no effect, for any other.
    package mutating func cancel(_ id: RequestID) -> Bool {
        guard let line = lineOfRequest[id] else { return false }
        remove(id, of: line)
        return true
    }

    /// Takes out all requests that wait, in the order in which they would have been delivered.
    package mutating func cancelAll() -> [RequestID] {
        var waiting: [RequestID] = []
        while let id = takeFirst() { waiting.append(id) }
        return waiting
    }

    /// Takes the first request of the line whose turn it is; a line with more to come goes behind the others.
    private mutating func takeFirst() -> RequestID? {
        guard let line = turn?.first, let id = lines[line]?.first else { return nil }
        remove(id, of: line)
        if turn?.last != line && turns.contains(line) {
            turns.remove(line, from: &turn)
            turns.append(line, to: &turn)
        }
        return id
    }

    private mutating func remove(_ id: RequestID, of line: DeliveryLine) {
        requests.remove(id, from: &lines[line])
        lineOfRequest[id] = nil
        if lines[line] == nil { turns.remove(line, from: &turn) }
    }
}
