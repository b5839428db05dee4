/// Identifies one of a handler's sender queues by the source of its requests.
package enum SenderQueueKey: Sendable, Hashable {
    /// All connections that state this source application.
    case application(ApplicationID)
    /// One connection that states no source application, by its unique name on the bus.
    case connection(String)
}

/// The order of the requests for one handler. ``HandlerQueue`` decides when the next one is sent. A sender queue holds
/// the requests from one source to this handler, which are delivered in the order of their arrival (I8). Sender queues
/// take turns: a source with a thousand requests does not delay a source with one (I15). A request gets its place when
/// it arrives. Until the request is stored, it delays only its own sender queue.
struct SenderQueues: Sendable, Equatable {
    enum Stage: Sendable {
        /// The request is not stored yet.
        case arriving
        case waiting
        /// The request waits for the end of a pause before it is delivered again.
        case backedOff
        /// The request is dispatched, and its delivery attempt is being recorded.
        case preparing
        case prepared
        /// The delivery attempt could not be recorded.
        case unprepared
        /// The request is being returned; see ``HandlerQueue/Action/turnBack(_:)``.
        case returning
        /// The handler has the request.
        case inFlight
    }

    struct Place: Chained, Sendable, Equatable {
        let id: RequestID
        fileprivate let queue: Slot
        /// The request's number in the order of arrival.
        let number: UInt64
        /// Whether the sender queued the request. If so, each delivery attempt is recorded before the request is sent.
        let isQueued: Bool
        /// The size of the URL and payload in bytes.
        var size: UInt64
        fileprivate(set) var stage: Stage
        /// Whether the handler crashed while it had this request.
        fileprivate var isSuspect = false
        /// The connection on which the request is in flight, or for which it is dispatched; otherwise `.none`.
        var connection = Slot.none
        var neighbours = Neighbours()
    }

    private struct SenderQueue: Chained, Sendable, Equatable {
        let key: SenderQueueKey
        /// The number of requests that are waiting, dispatched or in flight.
        var count = 0
        var waiting = Chain()
        var dispatching = Chain()
        /// Whether the queue is in the list of turns, because its first request can be delivered.
        var hasTurn = false
        var neighbours = Neighbours()
    }

    private var places = Slots<Place>()
    private var slots: [RequestID: Slot] = [:]
    private var queues = Slots<SenderQueue>()
    private var queueSlots: [SenderQueueKey: Slot] = [:]
    /// The sender queues whose first request can be delivered, in the order of their turns.
    private var turns = Chain()
    /// The sender queues whose first dispatched request can be sent.
    private var sendable: [Slot] = []
    private var last: UInt64 = 0
    private var suspectCount = 0

    var isEmpty: Bool { slots.isEmpty }
    var count: Int { slots.count }

    var hasSuspects: Bool { suspectCount > 0 }

    subscript(slot: Slot) -> Place {
        get { places[slot] }
        _modify { yield &places[slot] }
    }

    func slot(of id: RequestID) -> Slot? { slots[id] }

    func isFollowed(_ slot: Slot) -> Bool {
        let place = places[slot]
        let isDispatching = place.connection != .none && place.stage != .inFlight
        return place.neighbours.next != .none || isDispatching && !queues[place.queue].waiting.isEmpty
    }

    /// - Returns: `nil` if the request is already in a queue.
    mutating func add(
        _ id: RequestID, from sender: SenderQueueKey, isQueued: Bool, size: UInt64, isReady: Bool
    ) -> Slot? {
        guard slots[id] == nil else { return nil }
        let queue = queueSlots[sender] ?? queues.add(SenderQueue(key: sender))
        if queues[queue].count == 0 { queueSlots[sender] = queue }
        queues[queue].count += 1
        last += 1
        let stage = isReady ? Stage.waiting : .arriving
        let slot = places.add(
            Place(id: id, queue: queue, number: last, isQueued: isQueued, size: size, stage: stage))
        slots[id] = slot
        places.append(slot, to: &queues[queue].waiting)
        updateTurn(of: queue)
        return slot
    }

    mutating func makeReady(_ slot: Slot) {
        places[slot].stage = .waiting
        updateTurn(of: places[slot].queue)
    }

    var first: Slot { turns.isEmpty ? .none : queues[turns.first].waiting.first }

    /// Dispatches the first request, and moves its sender queue behind the others.
    mutating func dispatchFirst(for connection: Slot) {
        let slot = first
        let queue = places[slot].queue
        removeTurn(of: queue)
        places.remove(slot, from: &queues[queue].waiting)
        places.append(slot, to: &queues[queue].dispatching)
        places[slot].connection = connection
        places[slot].stage = places[slot].isQueued ? .preparing : .prepared
        updateTurn(of: queue)
        updateSendable(queue)
    }

    mutating func setPrepared(_ slot: Slot) {
        guard places[slot].stage == .preparing else { return }
        places[slot].stage = .prepared
        updateSendable(places[slot].queue)
    }

    mutating func markReturning(_ slot: Slot) { places[slot].stage = .returning }

    /// - Returns: the ids of the request in `slot` and of the requests that must not overtake it.
    mutating func turnBack(from slot: Slot, isUnprepared: Bool) -> [RequestID] {
        let all = places.elements(from: slot)
        for other in all { places[other].stage = .returning }
        if isUnprepared { places[slot].stage = .unprepared }
        return all.map { places[$0].id }
    }

    /// A prepared request that is the first dispatched request of its sender queue; `.none` if there is none.
    mutating func nextSendable() -> Slot {
        while let queue = sendable.last {
            let first = queues[queue].dispatching.first
            if first != .none, places[first].stage == .prepared { return first }
            sendable.removeLast()
        }
        return .none
    }

    mutating func send(_ slot: Slot, to inFlight: inout Chain) {
        removeDispatched(slot)
        places[slot].stage = .inFlight
        places.append(slot, to: &inFlight)
    }

    mutating func removeDispatched(_ slot: Slot) {
        let queue = places[slot].queue
        places.remove(slot, from: &queues[queue].dispatching)
        updateSendable(queue)
    }

    mutating func remove(_ slot: Slot, from inFlight: inout Chain) { places.remove(slot, from: &inFlight) }

    func ids(of inFlight: Chain) -> [RequestID] { places.elements(from: inFlight.first).map { places[$0].id } }

    /// Returns a request to its place in its sender queue, before all later ones. It must not be in a ``Chain``.
    /// - Returns: the ids of later requests that are already dispatched but must not be sent before this one.
    mutating func putBack(_ slot: Slot, isSuspect: Bool, isReady: Bool) -> [RequestID] {
        places[slot].stage = isReady ? .waiting : .backedOff
        if isSuspect, !places[slot].isSuspect {
            places[slot].isSuspect = true
            suspectCount += 1
        }
        let (queue, number) = (places[slot].queue, places[slot].number)
        // The loop is short: only other returned requests can precede this one, and the window limits their number.
        var later = queues[queue].waiting.first
        while later != .none, places[later].number < number { later = places[later].neighbours.next }
        places.insert(slot, before: later, in: &queues[queue].waiting)
        updateTurn(of: queue)
        let overtaking = places.elements(from: queues[queue].dispatching.first).filter {
            places[$0].number > number && (places[$0].stage == .preparing || places[$0].stage == .prepared)
        }
        for other in overtaking { places[other].stage = .returning }
        return overtaking.map { places[$0].id }
    }

    mutating func removeWaiting(_ slot: Slot) {
        let queue = places[slot].queue
        places.remove(slot, from: &queues[queue].waiting)
        updateTurn(of: queue)
    }

    /// Removes a request, which must no longer be in a ``Chain``.
    mutating func forget(_ slot: Slot) {
        let (id, queue) = (places[slot].id, places[slot].queue)
        if places[slot].isSuspect { suspectCount -= 1 }
        slots[id] = nil
        places.remove(slot)
        queues[queue].count -= 1
        guard queues[queue].count == 0 else { return }
        queueSlots[queues[queue].key] = nil
        sendable.removeAll { $0 == queue }
        queues.remove(queue)
    }

    private mutating func updateSendable(_ queue: Slot) {
        let first = queues[queue].dispatching.first
        guard first != .none, places[first].stage == .prepared, !sendable.contains(queue) else { return }
        sendable.append(queue)
    }

    private mutating func updateTurn(of queue: Slot) {
        let first = queues[queue].waiting.first
        let isDeliverable = first != .none && places[first].stage == .waiting
        guard isDeliverable != queues[queue].hasTurn else { return }
        guard isDeliverable else { return removeTurn(of: queue) }
        queues[queue].hasTurn = true
        queues.append(queue, to: &turns)
    }

    private mutating func removeTurn(of queue: Slot) {
        queues[queue].hasTurn = false
        queues.remove(queue, from: &turns)
    }
}
