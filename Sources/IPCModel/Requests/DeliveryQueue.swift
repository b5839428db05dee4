/// The requests that wait for one handler, in lines, and those that it has in hand.
///
/// A line is what one source sends to this handler. Within a line requests are delivered in the order in which they
/// came (I8); lines that have something waiting take turns, so that a source with a thousand requests does not keep
/// away one with a single request (I15). The handler never has more in hand than its window.
///
/// A request takes its place when it comes, and can be delivered when it is ready: what needs the disk first keeps what
/// comes behind it in its line waiting, and nobody else.
///
/// Nothing here takes longer when more is waiting.
package struct DeliveryQueue: Sendable {
    /// How many requests the handler takes at a time, at least 1; a smaller window holds from the next delivery on.
    package var window: Int {
        didSet { window = max(1, window) }
    }

    private struct Place: Sendable {
        let line: DeliveryLine
        /// Grows with each request that comes.
        let number: UInt64
    }

    private var places: [RequestID: Place] = [:]
    private var last: UInt64 = 0
    private var waiting = LinkedLists<RequestID>()
    private var lines: [DeliveryLine: LinkedLists<RequestID>.Ends] = [:]
    /// Requests that have a place and cannot be delivered yet.
    private var unready: Set<RequestID> = []
    private var turns = LinkedLists<DeliveryLine>()
    /// The lines whose first request can be delivered; the first one is next.
    private var turn: LinkedLists<DeliveryLine>.Ends?
    private var inFlight: Set<RequestID> = []
    /// What the handler had in hand when it left without an answer, until each of them has ended.
    private var suspects: Set<RequestID> = []

    /// Makes an empty queue for a handler with a window of at least 1.
    package init(window: Int = 1) {
        self.window = max(1, window)
    }

    /// How many requests wait.
    package var waitingCount: Int { waiting.count }

    /// How many requests the handler has in hand.
    package var inFlightCount: Int { inFlight.count }

    /// Whether nothing waits and nothing is in hand, so that the queue can go.
    package var isEmpty: Bool { places.isEmpty }

    /// Whether a request waits.
    package func isWaiting(_ id: RequestID) -> Bool { waiting.contains(id) }

    /// Whether a request is in hand.
    package func isInFlight(_ id: RequestID) -> Bool { inFlight.contains(id) }

    /// Whether the handler gets one request at a time, because it left without an answer and it is not known which one
    /// was the reason.
    package var isCautious: Bool { !suspects.isEmpty }

    /// Puts a request at the end of its line; false, and no effect, for one that is here already.
    /// - Parameter isReady: whether it may be delivered; see ``ready(_:)``.
    @discardableResult
    package mutating func enqueue(_ id: RequestID, line: DeliveryLine, isReady: Bool = true) -> Bool {
        guard places[id] == nil else { return false }
        last += 1
        places[id] = Place(line: line, number: last)
        if !isReady { unready.insert(id) }
        waiting.append(id, to: &lines[line])
        updateTurn(of: line)
        return true
    }

    /// Lets a request be delivered when its turn comes.
    package mutating func ready(_ id: RequestID) {
        guard unready.remove(id) != nil, let place = places[id] else { return }
        updateTurn(of: place.line)
    }

    /// The request that ``next()`` would give.
    package var first: RequestID? {
        guard inFlight.count < (isCautious ? 1 : window), let line = turn?.first else { return nil }
        return lines[line]?.first
    }

    /// Takes the request that is to be delivered now: the first one of the line whose turn it is.
    ///
    /// - Returns: nil where nothing can be delivered or the window is full.
    package mutating func next() -> RequestID? {
        guard let id = first, let line = turn?.first else { return nil }
        waiting.remove(id, from: &lines[line])
        inFlight.insert(id)
        // A line with more to come goes behind the others.
        turns.remove(line, from: &turn)
        updateTurn(of: line)
        return id
    }

    /// Notes that a request in hand has ended, which makes room; false for one that is not in hand.
    @discardableResult
    package mutating func finish(_ id: RequestID) -> Bool {
        guard inFlight.remove(id) != nil else { return false }
        places[id] = nil
        suspects.remove(id)
        return true
    }

    /// Puts a request in hand back where it was: before everything of its line that came after it.
    /// - Parameters:
    ///   - isSuspect: the handler left without an answer to it, and gets one request at a time until this one and the
    ///     others of that kind have ended.
    ///   - isReady: whether it may be delivered; see ``ready(_:)``.
    package mutating func putBack(_ id: RequestID, isSuspect: Bool, isReady: Bool = true) {
        guard inFlight.remove(id) != nil, let place = places[id] else { return }
        if !isReady { unready.insert(id) }
        if isSuspect { suspects.insert(id) }
        // At the front stand only those that were put back, no more than were in hand.
        var behind = lines[place.line]?.first
        while let other = behind, let number = places[other]?.number, number < place.number {
            behind = waiting.next(after: other)
        }
        waiting.insert(id, before: behind, in: &lines[place.line])
        updateTurn(of: place.line)
    }

    /// Takes a request out that is not in hand; false, and no effect, for any other.
    package mutating func cancel(_ id: RequestID) -> Bool {
        guard waiting.contains(id), let place = places.removeValue(forKey: id) else { return false }
        waiting.remove(id, from: &lines[place.line])
        unready.remove(id)
        suspects.remove(id)
        updateTurn(of: place.line)
        return true
    }

    /// Lets a line have a turn if its first request can be delivered, and only then.
    private mutating func updateTurn(of line: DeliveryLine) {
        let isDeliverable = lines[line].map { !unready.contains($0.first) } ?? false
        if isDeliverable, !turns.contains(line) {
            turns.append(line, to: &turn)
        } else if !isDeliverable, turns.contains(line) {
            turns.remove(line, from: &turn)
        }
    }
}
