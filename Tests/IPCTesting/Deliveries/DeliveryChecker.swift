/// A fault in a history that a correct broker would not cause.
package struct DeliveryViolation: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An accepted request has no outcome.
        case lost
        /// A request has two different outcomes.
        case twoEnds
        /// A request is reported as handled, although no handler said so.
        case handledByNobody
        /// A rejected request was delivered.
        case refusedButDelivered
        /// A handler received something other than what was sent.
        case changed
        /// A handler received a request for another handler.
        case wrongHandler
        /// A handler received a request with an id that no sender chose.
        case newID
        /// A request was redelivered, but its attempt number is not higher than before.
        case attemptNotHigher
        /// The first deliveries of a sender queue are not in the order of acceptance.
        case outOfOrder
        /// After a handler exited, a newer request of a sender queue was delivered before an unanswered older one.
        case passedOver
        /// A request was parked although it does not crash its handler.
        case parkedWrongly
        /// A request that crashes its handler was not parked.
        case notParked
        /// A harmless request was not handled.
        case notHandled
    }

    package let kind: Kind
    /// The request that shows the fault.
    package let id: String
    /// An error message with the numbers.
    package let description: String
}

/// Judges a history of deliveries by the invariants I6, I7 and I8, without side effects.
///
/// Every accepted request has exactly one outcome. If it is reported as handled, a handler did answer `handled`. Every
/// delivery has the content of its request. A rejected request is never delivered. A redelivery has the id of the first
/// delivery and a higher attempt number. The first deliveries of a sender queue are in the order of acceptance, and
/// unanswered requests are redelivered before anything newer in their queue. Exactly the requests that crash their
/// handler each time are parked; all others are handled.
///
/// A handler must record its answer *before* it sends it, so that an unrecorded answer cannot have reached the broker.
package enum DeliveryChecker {
    /// All violations; empty if there are none. Takes time in proportion to the number of deliveries, plus, for each
    /// redelivery, the number of deliveries since the previous one of the same request.
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

/// The part of ``DeliveryChecker`` that judges the outcomes of requests.
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
                report(
                    .twoEnds, request, "has several outcomes: \(told.map { "\($0.outcome) \($0.code ?? "")" }.sorted())"
                )
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
        report(.refusedButDelivered, request, "was refused, but was processed nevertheless")
    }

    private mutating func checkEnd(_ request: DeliveryHistory.Request, _ told: Set<DeliveryHistory.End>) {
        guard !told.isEmpty else { return report(.lost, request, "was accepted, but has no outcome") }
        let isHandled = told.contains { $0.outcome == "handled" }
        let isParked = told.contains(where: \.isParked)
        if isHandled, !(answers[request.id] ?? []).contains("handled") {
            let count = answers[request.id]?.count ?? 0
            report(
                .handledByNobody, request, "is reported as handled; delivered \(count) times, never answered `handled`")
        }
        if isParked, !request.kills { report(.parkedWrongly, request, "was parked, but never crashed its handler") }
        if request.kills, !isParked { report(.notParked, request, "crashes its handler, but was not parked: \(told)") }
        if !request.kills, !isParked, !isHandled { report(.notHandled, request, "ended as \(told.map(\.outcome))") }
    }

    private mutating func report(
        _ kind: DeliveryViolation.Kind, _ request: DeliveryHistory.Request, _ what: String
    ) {
        violations.append(DeliveryViolation(kind: kind, id: request.id, description: "\(request.shown) \(what)."))
    }
}

extension DeliveryHistory.Request {
    /// The request in words, for an error message.
    var shown: String { "\(id) (place \(place) from \(source) to \(handler))" }
}
