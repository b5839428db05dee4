/// Simulates the delivery of requests, correctly or with one kind of mistake, for testing the checkers. It uses neither
/// a clock nor a bus.
///
/// Handlers crash at random moments and at each lethal request. A handler that left requests unanswered gets them one
/// at a time until they are resolved. A request that was the only one in flight in three crashes is parked.
package struct SimulatedBroker {
    /// A mistake that the simulated broker can be told to make.
    package enum Mistake: String, Sendable, CaseIterable {
        case dropOne = "drop-one"
        case deliverTwice = "deliver-twice"
        case reorder
        case answerBeforeCommit = "answer-before-commit"
        case repeatSameAttempt, newerFirstAfterCrash, parkInnocent, neverPark, mixPayloads, handledUndelivered, twoEnds
        case deliverRefused, wrongHandler
    }

    /// The size of the simulation.
    package struct Size: Sendable {
        package var sources = 4
        package var handlers = 2
        /// The number of requests from each source to each handler.
        package var requests = 30
        package var window = 3
        /// One in this many requests crashes its handler.
        package var killers = 40
        /// In one of this many deliveries, the handler crashes at random.
        package var crashes = 15

        package init() {}
    }

    private let size: Size
    private let mistake: Mistake?
    private var generator: SeededGenerator
    private var history = DeliveryHistory()
    /// The ids that a handler has seen.
    private var seen: Set<String> = []
    /// Whether the chosen mistake was made.
    package private(set) var isMistaken = false

    private init(_ size: Size, _ mistake: Mistake?, _ generator: SeededGenerator) {
        (self.size, self.mistake, self.generator) = (size, mistake, generator)
    }

    /// Runs the simulation; returns `nil` if the chosen mistake could not be made.
    package static func run(
        _ size: Size = Size(), mistake: Mistake? = nil, generator: SeededGenerator
    ) -> DeliveryHistory? {
        var broker = SimulatedBroker(size, mistake, generator)
        for handler in 0..<size.handlers { broker.deliver(to: "handler\(handler)") }
        broker.mistakeAtTheEnd()
        return mistake == nil || broker.isMistaken ? broker.history : nil
    }

    /// A request that is waiting or in flight.
    private struct Entry {
        let request: DeliveryHistory.Request
        var attempts = 0
        var crashes = 0
    }

    /// Accepts the requests of all sources for one handler: the sources take turns at random, and each keeps its order.
    private mutating func accept(for handler: String) -> [Entry] {
        var left = Array(repeating: 0, count: size.sources)
        var accepted: [Entry] = []
        while let source = left.indices.filter({ left[$0] < size.requests }).randomElement(using: &generator) {
            let place = left[source]
            left[source] += 1
            let isRefused = Int.random(in: 0..<50, using: &generator) == 0
            let request = DeliveryHistory.Request(
                id: "\(handler)-\(source)-\(place)", source: "source\(source)", handler: handler, place: place,
                content: "\(handler):\(source)/\(place)",
                kills: !isRefused && Int.random(in: 0..<size.killers, using: &generator) == 0,
                acceptance: isRefused ? .refused : .accepted)
            history.requests.append(request)
            guard !isRefused || makes(.deliverRefused) else { continue }
            accepted.append(Entry(request: request))
        }
        if makes(.dropOne) { accepted.remove(at: Int.random(in: 0..<accepted.count, using: &generator)) }
        return accepted
    }

    /// Whether to make this mistake now: true if it is the chosen mistake, and has not been made yet.
    private mutating func makes(_ mistake: Mistake) -> Bool {
        guard self.mistake == mistake, !isMistaken else { return false }
        isMistaken = true
        return true
    }

    private mutating func deliver(to handler: String) {
        var waiting = accept(for: handler)
        var process = 1
        var alone = 0
        while !waiting.isEmpty {
            var flight: [Int] = Array(waiting.indices.prefix(alone > 0 ? 1 : size.window))
            if let second = later(in: waiting), alone == 0, makes(.reorder) { flight = [second] }
            if alone > 0, waiting.count > alone, let newer = passing(in: waiting, alone), makes(.newerFirstAfterCrash) {
                flight = [newer]
            }
            let answered = send(flight, of: &waiting, to: handler, process)
            if answered < flight.count {
                process += 1
                if flight.count == 1 { waiting[flight[0]].crashes += 1 }
                alone = max(alone, flight.count) - answered
            } else {
                alone = max(0, alone - answered)
            }
            resolve(flight, answered, &waiting, &alone)
        }
    }

    /// The index of a request that can overtake the first one: both are in the same sender queue, and neither was
    /// delivered yet.
    private func later(in waiting: [Entry]) -> Int? {
        guard let first = waiting.first, first.attempts == 0 else { return nil }
        return waiting.indices.dropFirst().first {
            waiting[$0].request.source == first.request.source && !waiting[$0].request.kills && !first.request.kills
        }
    }

    /// The index of a request that can overtake the unanswered ones: it is in the same sender queue as the first of
    /// them.
    private func passing(in waiting: [Entry], _ alone: Int) -> Int? {
        guard let first = waiting.first, first.attempts > 0, !first.request.kills else { return nil }
        return waiting.indices.dropFirst(alone).first {
            waiting[$0].request.source == first.request.source && !waiting[$0].request.kills
        }
    }

    /// Sends the requests at these positions in turn to one process; returns how many it answered before it crashed.
    private mutating func send(
        _ flight: [Int], of waiting: inout [Entry], to handler: String, _ process: Int
    ) -> Int {
        var answered = 0
        var ended = false
        for place in flight {
            // Requests still in flight when the process crashes are lost with it; no handler has seen them.
            let isSeen = !ended
            // A random crash must never hit a request as often as a lethal one does.
            let falls = waiting[place].crashes < 2 && Int.random(in: 0..<size.crashes, using: &generator) == 0
            let kills = waiting[place].request.kills || falls
            let wasSeen = seen.contains(waiting[place].request.id)
            if !isSeen || !wasSeen || !makes(.repeatSameAttempt) { waiting[place].attempts += 1 }
            guard isSeen else { continue }
            record(waiting[place], handler, process, answers: !kills)
            if kills { ended = true } else { answered += 1 }
        }
        return answered
    }

    private mutating func record(_ entry: Entry, _ handler: String, _ process: Int, answers: Bool) {
        var delivery = DeliveryHistory.Delivery(
            id: entry.request.id, attempt: entry.attempts, source: entry.request.source,
            content: entry.request.content, process: process, answer: answers ? "handled" : nil)
        if answers, makes(.mixPayloads) { delivery.content = "mixed" }
        history.deliveries[handler, default: []].append(delivery)
        seen.insert(delivery.id)
        guard answers else { return }
        if makes(.deliverTwice) {
            delivery.id = "new-\(delivery.id)"
            history.deliveries[handler, default: []].append(delivery)
        }
        if makes(.wrongHandler) { history.deliveries["other", default: []].append(delivery) }
    }

    private mutating func resolve(_ flight: [Int], _ answered: Int, _ waiting: inout [Entry], _ alone: inout Int) {
        for place in flight.prefix(answered) { end(waiting[place].request) }
        var gone = Set(flight.prefix(answered))
        for place in flight.dropFirst(answered) {
            let isParked = waiting[place].crashes >= 3 && (!waiting[place].request.kills || mistake != .neverPark)
            if isParked || (waiting[place].crashes > 0 && !waiting[place].request.kills && makes(.parkInnocent)) {
                history.ends.append(.init(id: waiting[place].request.id, outcome: "failed", code: "parked"))
                gone.insert(place)
                alone = max(0, alone - 1)
            } else if waiting[place].crashes >= 3, waiting[place].request.kills {
                // Without parking, the request would be delivered forever. End it, so that the simulation terminates.
                isMistaken = true
                history.ends.append(.init(id: waiting[place].request.id, outcome: "failed", code: "handler-ended"))
                gone.insert(place)
            }
        }
        waiting = waiting.indices.filter { !gone.contains($0) }.map { waiting[$0] }
    }

    private mutating func end(_ request: DeliveryHistory.Request) {
        // Simulates a broker that answers before the outcome is on disk, and then crashes: the outcome is lost.
        if makes(.answerBeforeCommit) { return }
        history.ends.append(.init(id: request.id))
        if makes(.twoEnds) { history.ends.append(.init(id: request.id, outcome: "timed-out")) }
    }

    private mutating func mistakeAtTheEnd() {
        guard let request = history.requests.first(where: { !$0.kills && $0.acceptance == .accepted }),
            makes(.handledUndelivered)
        else { return }
        history.deliveries[request.handler]?.removeAll { $0.id == request.id }
    }
}
