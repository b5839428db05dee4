/// The part of ``DeliveryChecker`` that judges the deliveries to one handler. It must get them in order.
struct HandlerChecker {
    private struct Line {
        /// The deliveries in order, with the positions of their requests.
        var row: [(place: Int, delivery: DeliveryHistory.Delivery)] = []
        /// The index in `row` of the newest request that was delivered.
        var newest = 0
        /// For each unanswered request, by its position: the index in `row` of its last delivery.
        var unanswered: [Int: Int] = [:]

        mutating func add(_ delivery: DeliveryHistory.Delivery, _ place: Int) {
            unanswered[place] = delivery.answer == nil ? row.count : nil
            if row.isEmpty || place >= row[newest].place { newest = row.count }
            row.append((place, delivery))
        }
    }

    private let handler: String
    private let requests: [String: DeliveryHistory.Request]
    private var lines: [String: Line] = [:]
    private var attempts: [String: Int] = [:]
    private(set) var violations: [DeliveryViolation] = []

    init(_ handler: String, _ requests: [String: DeliveryHistory.Request]) {
        (self.handler, self.requests) = (handler, requests)
    }

    mutating func add(_ delivery: DeliveryHistory.Delivery) {
        guard let request = requests[delivery.id] else {
            return report(.newID, delivery, "nobody chose this id; its content is “\(delivery.content)”")
        }
        guard request.handler == handler else {
            return report(.wrongHandler, delivery, "it was sent to \(request.handler)")
        }
        if request.content != delivery.content || request.source != delivery.source {
            report(
                .changed, delivery,
                "“\(delivery.content)” came from \(delivery.source); it was “\(request.content)” from \(request.source)"
            )
        }
        let before = attempts[delivery.id]
        if let before, delivery.attempt <= before {
            report(.attemptNotHigher, delivery, "attempt \(delivery.attempt) came after attempt \(before)")
        }
        attempts[delivery.id] = max(before ?? 0, delivery.attempt)
        checkOrder(delivery, request, isFirst: before == nil)
    }

    private mutating func checkOrder(
        _ delivery: DeliveryHistory.Delivery, _ request: DeliveryHistory.Request, isFirst: Bool
    ) {
        let line = lines[request.source] ?? Line()
        if isFirst, let newest = line.row.isEmpty ? nil : line.row[line.newest], request.place < newest.place {
            report(
                .outOfOrder, delivery,
                "place \(request.place) came after place \(newest.place) (\(newest.delivery.id))")
        }
        // This is a redelivery: since the request was left unanswered, no newer one may have reached a later process.
        if let place = line.unanswered[request.place] {
            let left = line.row[place].delivery.process
            let passed = line.row[(place + 1)...].first { $0.place > request.place && $0.delivery.process > left }
            if delivery.process > left, let passed {
                report(
                    .passedOver, delivery,
                    "process \(left) left it unanswered; place \(passed.place) (\(passed.delivery.id)) came to "
                        + "process \(passed.delivery.process) before it came again")
            }
        }
        lines[request.source, default: Line()].add(delivery, request.place)
    }

    private mutating func report(
        _ kind: DeliveryViolation.Kind, _ delivery: DeliveryHistory.Delivery, _ what: String
    ) {
        let shown = requests[delivery.id]?.shown ?? delivery.id
        violations.append(
            DeliveryViolation(
                kind: kind, id: delivery.id,
                description: "\(shown), attempt \(delivery.attempt) at process \(delivery.process): \(what)."))
    }
}
