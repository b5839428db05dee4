/// Something in a history that a broker which tells the truth does not do.
package struct DeliveryViolation: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An accepted request has no end.
        case lost
        /// A request has two different ends.
        case twoEnds
        /// A request is said to have been handled, and no handler answered so.
        case handledByNobody
        /// A request that was refused was delivered.
        case refusedButDelivered
        /// A handler got something other than what was sent.
        case changed
        /// A handler got what was meant for another one.
        case wrongHandler
        /// A handler got something under an id that nobody chose.
        case newID
        /// A request came again with an attempt that is not higher.
        case attemptNotHigher
        /// The first deliveries of a line are not in the order of acceptance.
        case outOfOrder
        /// After the end of a handler, a newer request of a line came before an unanswered older one came again.
        case passedOver
        /// A request was parked that does not end its handler.
        case parkedWrongly
        /// A request that ends its handler was not parked.
        case notParked
        /// A request that nothing was wrong with was not handled.
        case notHandled
    }

    package let kind: Kind
    /// The request where it shows.
    package let id: String
    /// A sentence with the numbers.
    package let description: String
}

/// Judges a history of deliveries (I6, I7, I8); pure.
///
/// Every accepted request has exactly one end; one that is said to be handled was answered so by a handler, whole; what
/// was refused is delivered to nobody. A duplicate has the id of the first and a higher attempt. The first deliveries
/// of a line are in the order of acceptance, and what a process left unanswered comes again before anything newer of
/// its line. Exactly those that end their handler each time are parked, and all others are handled.
///
/// A handler writes down its answer *before* it sends it: without it in the history the broker cannot have had it.
package enum DeliveryChecker {
    /// All violations; none when all is well. Takes time in proportion to the deliveries, and to
    /// those that stand between one and its repetition.
    package static func check(_ history: DeliveryHistory) -> [DeliveryViolation] {
        var ends = EndChecker(history)
        ends.check()
        var violations = ends.violations
        let requests = Dictionary(history.requests.map { ($0.id, $0) }) { first, _ in first }
        for (handler, deliveries) in history.deliveries.sorted(by: { $0.key < $1.key }) {
            var checker = HandlerChecker(handler, requests)
            for delivery in deliveries { checker.add(delivery) }
            violations += checker.violations
        }
        return violations
    }
}

/// The part of ``DeliveryChecker`` that judges how requests ended.
private struct EndChecker {
    private let requests: [DeliveryHistory.Request]
    private var ends: [String: Set<DeliveryHistory.End>] = [:]
    private var answers: [String: [String?]] = [:]
    private(set) var violations: [DeliveryViolation] = []

    init(_ history: DeliveryHistory) {
        requests = history.requests
        for end in history.ends { ends[end.id, default: []].insert(end) }
        for delivery in history.deliveries.values.joined() {
            answers[delivery.id, default: []].append(delivery.answer)
        }
    }

    mutating func check() {
        for request in requests {
            let told = ends[request.id] ?? []
            if Set(told.map(\.outcome)).count > 1 || Set(told.compactMap(\.code)).count > 1 {
                report(.twoEnds, request, "has the ends \(told.map { "\($0.outcome) \($0.code ?? "")" }.sorted())")
            }
            switch request.acceptance {
            case .refused: checkRefused(request, told)
            case .unknown where told.isEmpty: break
            case .unknown, .accepted: checkEnd(request, told)
            }
        }
    }

    private mutating func checkRefused(_ request: DeliveryHistory.Request, _ told: Set<DeliveryHistory.End>) {
        guard !told.isEmpty || answers[request.id] != nil else { return }
        report(.refusedButDelivered, request, "was refused, and went on all the same")
    }

    private mutating func checkEnd(_ request: DeliveryHistory.Request, _ told: Set<DeliveryHistory.End>) {
        guard !told.isEmpty else { return report(.lost, request, "was accepted and has no end") }
        let isHandled = told.contains { $0.outcome == "handled" }
        let isParked = told.contains(where: \.isParked)
        if isHandled, !(answers[request.id] ?? []).contains("handled") {
            let count = answers[request.id]?.count ?? 0
            report(.handledByNobody, request, "is said to be handled; delivered \(count) times, never answered so")
        }
        if isParked, !request.kills { report(.parkedWrongly, request, "was parked and never ended its handler") }
        if request.kills, !isParked { report(.notParked, request, "ends its handler and was not parked: \(told)") }
        if !request.kills, !isParked, !isHandled { report(.notHandled, request, "ended as \(told.map(\.outcome))") }
    }

    private mutating func report(
        _ kind: DeliveryViolation.Kind, _ request: DeliveryHistory.Request, _ what: String
    ) {
        violations.append(DeliveryViolation(kind: kind, id: request.id, description: "\(request.shown) \(what)."))
    }
}

extension DeliveryHistory.Request {
    /// The request for a message.
    var shown: String { "\(id) (place \(place) from \(source) to \(handler))" }
}
