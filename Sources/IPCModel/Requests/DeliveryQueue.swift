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

    private var places = Slots<Place>()
    private var indices: [RequestID: Slot] = [:]
    private var lines = Slots<Line>()
    private var lineIndices: [DeliveryLine: Slot] = [:]
    private var last: UInt64 = 0
    /// The ends of the chain of lines whose first request can be delivered; the first one is next.
    private var (firstTurn, lastTurn) = (Slot.none, Slot.none)
    private var suspectCount = 0

    /// How many requests wait.
    package private(set) var waitingCount = 0

    /// How many requests the handler has in hand.
    package private(set) var inFlightCount = 0

    /// Makes an empty queue for a handler with a window of at least 1.
    package init(window: Int = 1) {
        self.window = max(1, window)
    }

    /// Whether nothing waits and nothing is in hand, so that the queue can go.
    package var isEmpty: Bool { indices.isEmpty }

    /// Whether a request waits.
    package func isWaiting(_ id: RequestID) -> Bool { indices[id].map { !places[$0].isInFlight } ?? false }

    /// Whether a request is in hand.
    package func isInFlight(_ id: RequestID) -> Bool { indices[id].map { places[$0].isInFlight } ?? false }

    /// Whether something waits behind a waiting request in its line.
    package func isFollowed(_ id: RequestID) -> Bool { indices[id].map { places[$0].next != .none } ?? false }

    /// Whether the handler gets one request at a time, because it left without an answer and it is not known which one
    /// was the reason.
    package var isCautious: Bool { suspectCount > 0 }

    /// Puts a request at the end of its line; false, and no effect, for one that is here already.
    /// - Parameter isReady: whether it may be delivered; see ``ready(_:)``.
    @discardableResult
    package mutating func enqueue(_ id: RequestID, line name: DeliveryLine, isReady: Bool = true) -> Bool {
        guard indices[id] == nil else { return false }
        let line = lineIndices[name] ?? lines.add(Line(name: name))
        if lines[line].placeCount == 0 { lineIndices[name] = line }
        lines[line].placeCount += 1
        last += 1
        let place = places.add(Place(id: id, line: line, number: last, isReady: isReady))
        indices[id] = place
        insert(place, before: .none)
        updateTurn(of: line)
        return true
    }

    /// Lets a request be delivered when its turn comes.
    package mutating func ready(_ id: RequestID) {
        guard let place = indices[id], !places[place].isReady else { return }
        places[place].isReady = true
        updateTurn(of: places[place].line)
    }

    /// The request that ``next()`` would give.
    package var first: RequestID? {
        guard firstTurn != .none, inFlightCount < (isCautious ? 1 : window) else { return nil }
        return places[lines[firstTurn].first].id
    }

    /// Takes the request that is to be delivered now: the first one of the line whose turn it is.
    ///
    /// - Returns: nil where nothing can be delivered or the window is full.
    package mutating func next() -> RequestID? {
        guard let id = first else { return nil }
        let line = firstTurn
        let place = lines[line].first
        takeOut(place)
        places[place].isInFlight = true
        inFlightCount += 1
        // A line with more to come goes behind the others.
        removeTurn(of: line)
        updateTurn(of: line)
        return id
    }

    /// Notes that a request in hand has ended, which makes room; false for one that is not in hand.
    @discardableResult
    package mutating func finish(_ id: RequestID) -> Bool {
        guard let place = indices[id], places[place].isInFlight else { return false }
        inFlightCount -= 1
        forget(place)
        return true
    }

    /// Puts a request in hand back where it was: before everything of its line that came after it.
    /// - Parameters:
    ///   - isSuspect: the handler left without an answer to it, and gets one request at a time until this one and the
    ///     others of that kind have ended.
    ///   - isReady: whether it may be delivered; see ``ready(_:)``.
    package mutating func putBack(_ id: RequestID, isSuspect: Bool, isReady: Bool = true) {
        guard let place = indices[id], places[place].isInFlight else { return }
        inFlightCount -= 1
        places[place].isInFlight = false
        places[place].isReady = isReady
        if isSuspect, !places[place].isSuspect {
            places[place].isSuspect = true
            suspectCount += 1
        }
        let (line, number) = (places[place].line, places[place].number)
        // At the front stand only those that were put back, no more than were in hand.
        var behind = lines[line].first
        while behind != .none, places[behind].number < number { behind = places[behind].next }
        insert(place, before: behind)
        updateTurn(of: line)
    }

    /// Takes a request out that is not in hand; false, and no effect, for any other.
    package mutating func cancel(_ id: RequestID) -> Bool {
        guard let place = indices[id], !places[place].isInFlight else { return false }
        let line = places[place].line
        takeOut(place)
        updateTurn(of: line)
        forget(place)
        return true
    }
}

// MARK: Chains

extension DeliveryQueue {
    /// A request that has a place.
    fileprivate struct Place: Sendable {
        let id: RequestID
        let line: Slot
        /// Grows with each request that comes.
        let number: UInt64
        var isReady: Bool
        var isInFlight = false
        /// Whether the handler had it in hand when it left without an answer.
        var isSuspect = false
        // Neighbours in the line while it waits.
        var previous = Slot.none
        var next = Slot.none
    }

    /// What one source sends.
    fileprivate struct Line: Sendable {
        let name: DeliveryLine
        /// Requests that wait or are in hand.
        var placeCount = 0
        // The ends of those that wait.
        var first = Slot.none
        var last = Slot.none
        /// Whether its first request can be delivered; then it stands among the turns.
        var hasTurn = false
        var previous = Slot.none
        var next = Slot.none
    }

    /// Puts a place into its line, before another one of it; at the end for none.
    private mutating func insert(_ place: Slot, before other: Slot) {
        let line = places[place].line
        let previous = other == .none ? lines[line].last : places[other].previous
        (places[place].previous, places[place].next) = (previous, other)
        if previous == .none { lines[line].first = place } else { places[previous].next = place }
        if other == .none { lines[line].last = place } else { places[other].previous = place }
        waitingCount += 1
    }

    /// Takes a place out of its line.
    private mutating func takeOut(_ place: Slot) {
        let (line, previous, next) = (places[place].line, places[place].previous, places[place].next)
        if previous == .none { lines[line].first = next } else { places[previous].next = next }
        if next == .none { lines[line].last = previous } else { places[next].previous = previous }
        waitingCount -= 1
    }

    /// Lets go of a place that is in no line any more.
    private mutating func forget(_ place: Slot) {
        let (id, line) = (places[place].id, places[place].line)
        if places[place].isSuspect { suspectCount -= 1 }
        indices[id] = nil
        places.remove(place)
        lines[line].placeCount -= 1
        guard lines[line].placeCount == 0 else { return }
        lineIndices[lines[line].name] = nil
        lines.remove(line)
    }

    /// Lets a line have a turn if its first request can be delivered, and only then.
    private mutating func updateTurn(of line: Slot) {
        let first = lines[line].first
        let isDeliverable = first != .none && places[first].isReady
        guard isDeliverable != lines[line].hasTurn else { return }
        guard isDeliverable else { return removeTurn(of: line) }
        lines[line].hasTurn = true
        (lines[line].previous, lines[line].next) = (lastTurn, .none)
        if lastTurn == .none { firstTurn = line } else { lines[lastTurn].next = line }
        lastTurn = line
    }

    private mutating func removeTurn(of line: Slot) {
        let (previous, next) = (lines[line].previous, lines[line].next)
        if previous == .none { firstTurn = next } else { lines[previous].next = next }
        if next == .none { lastTurn = previous } else { lines[next].previous = previous }
        lines[line].hasTurn = false
    }
}

/// Where an element stands in ``Slots``.
private struct Slot: Sendable, Equatable {
    let index: Int32

    static let none = Slot(index: -1)
}

/// Elements that keep their place until they are removed; places are used again, and all given back when nothing is left.
private struct Slots<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var free: [Slot] = []

    subscript(slot: Slot) -> Element {
        get { elements[Int(slot.index)]! }
        _modify { yield &elements[Int(slot.index)]! }
    }

    mutating func add(_ element: Element) -> Slot {
        if let slot = free.popLast() {
            elements[Int(slot.index)] = element
            return slot
        }
        elements.append(element)
        return Slot(index: Int32(elements.count - 1))
    }

    mutating func remove(_ slot: Slot) {
        elements[Int(slot.index)] = nil
        free.append(slot)
        // What a crowd took is not kept for ever; a few places are not worth the allocation.
        if free.count == elements.count, free.count > 64 { (elements, free) = ([], []) }
    }
}
