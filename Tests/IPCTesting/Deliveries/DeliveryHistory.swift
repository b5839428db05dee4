/// What senders asked for, what handlers saw of it, and how it is said to have ended.
///
/// Each request has content of its own, so that a delivery under another id is told from a new request.
package struct DeliveryHistory: Sendable {
    /// What the sender was told about its request.
    package enum Acceptance: Sendable, Hashable {
        /// It was accepted: it has an end, and only one.
        case accepted
        /// An error, which means that nobody was asked.
        case refused
        /// No answer: it was accepted or not.
        case unknown
    }

    package struct Request: Sendable, Hashable {
        package var id: String
        /// The sender; with the handler it names the line.
        package var source: String
        package var handler: String
        /// The place in the line.
        package var place: Int
        /// What is to arrive: URL and payload, or a digest of them.
        package var content: String
        /// Whether its handler ends at each delivery of it, before it answers.
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

    /// What a handler got.
    package struct Delivery: Sendable, Hashable {
        package var id: String
        package var attempt: Int
        /// The source that it was told.
        package var source: String
        package var content: String
        /// The number of the process that got it: each start of the handler has a higher one.
        package var process: Int
        /// The outcome that the process was about to answer with; `nil` when it ended before that.
        package var answer: String?

        package init(
            id: String, attempt: Int = 1, source: String, content: String, process: Int = 1, answer: String? = "handled"
        ) {
            (self.id, self.attempt, self.source) = (id, attempt, source)
            (self.content, self.process, self.answer) = (content, process, answer)
        }
    }

    /// What somebody was told of the end of a request.
    package struct End: Sendable, Hashable {
        package var id: String
        package var outcome: String
        /// The `error-code`; nil where it was not told, as by a signal.
        package var code: String?

        package init(id: String, outcome: String = "handled", code: String? = "") {
            (self.id, self.outcome, self.code) = (id, outcome, code)
        }

        /// Whether it was given up because it ended its handler too often.
        package var isParked: Bool { outcome == "failed" && code == "parked" }
    }

    package var requests: [Request]
    /// What each handler got, in the order of time over all of its processes.
    package var deliveries: [String: [Delivery]]
    /// What was told, also several times of one request.
    package var ends: [End]

    package init(requests: [Request] = [], deliveries: [String: [Delivery]] = [:], ends: [End] = []) {
        (self.requests, self.deliveries, self.ends) = (requests, deliveries, ends)
    }

    /// How many deliveries came after the first one of their request.
    package var duplicates: Int {
        deliveries.values.reduce(0) { $0 + $1.count - Set($1.map(\.id)).count }
    }
}
