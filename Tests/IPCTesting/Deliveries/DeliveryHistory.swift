/// What senders requested, what handlers saw of it, and the reported outcomes.
///
/// Each request has unique content, so that a delivery under another id can be told from a new request.
package struct DeliveryHistory: Sendable {
    /// The result that the sender received for its request.
    package enum Acceptance: Sendable, Hashable {
        /// The request was accepted, so it must reach exactly one outcome.
        case accepted
        /// The sender got an error, which means that no handler was asked.
        case refused
        /// The sender got no answer, so the request may have been accepted.
        case unknown
    }

    package struct Request: Sendable, Hashable {
        package var id: String
        /// The sender; together with the handler, it identifies the sender queue.
        package var source: String
        package var handler: String
        /// The position in the sender queue.
        package var place: Int
        /// The expected content: URL and payload, or a digest of them.
        package var content: String
        /// Whether its handler crashes, before it answers, each time the request is delivered.
        package var kills: Bool
        package var acceptance: Acceptance

        package init(
            id: String, source: String, handler: String, place: Int, content: String, kills: Bool = false,
            acceptance: Acceptance = .accepted
        ) {
            (self.id, self.source, self.handler, self.place) = (id, source, handler, place)
            (self.content, self.kills, self.acceptance) = (content, kills, acceptance)
        }
    }

    /// A delivery that a handler received.
    package struct Delivery: Sendable, Hashable {
        package var id: String
        package var attempt: Int
        /// The source that the handler saw.
        package var source: String
        package var content: String
        /// The number of the process that received the delivery: each start of the handler has a higher number.
        package var process: Int
        /// The outcome that the process was about to answer with; `nil` if it exited before that.
        package var answer: String?

        package init(
            id: String, attempt: Int = 1, source: String, content: String, process: Int = 1, answer: String? = "handled"
        ) {
            (self.id, self.attempt, self.source) = (id, attempt, source)
            (self.content, self.process, self.answer) = (content, process, answer)
        }
    }

    /// A report of the outcome of a request.
    package struct End: Sendable, Hashable {
        package var id: String
        package var outcome: String
        /// The `error-code` of the outcome; `nil` if the report has none, as in a signal.
        package var code: String?

        package init(id: String, outcome: String = "handled", code: String? = "") {
            (self.id, self.outcome, self.code) = (id, outcome, code)
        }

        /// Whether the request was parked because it crashed its handler too often.
        package var isParked: Bool { outcome == "failed" && code == "parked" }
    }

    package var requests: [Request]
    /// The deliveries that each handler received, in chronological order over all of its processes.
    package var deliveries: [String: [Delivery]]
    /// The reported outcomes; there may be several reports for one request.
    package var ends: [End]

    package init(requests: [Request] = [], deliveries: [String: [Delivery]] = [:], ends: [End] = []) {
        (self.requests, self.deliveries, self.ends) = (requests, deliveries, ends)
    }

    /// The number of redeliveries: deliveries of a request that was delivered before.
    package var duplicates: Int {
        deliveries.values.reduce(0) { $0 + $1.count - Set($1.map(\.id)).count }
    }
}
