/// How a request ended.
package struct RequestEnd: Sendable, Hashable {
    /// The reason for the outcome; empty if there is none.
    package struct Failure: Sendable, Hashable {
        /// The name of a D-Bus error.
        package var name: String
        package var code: String
        package var message: String

        package init(name: String = "", code: String = "", message: String = "") {
            (self.name, self.code, self.message) = (name, code, message)
        }
    }

    package var outcome: Outcome
    package var attempts: UInt32
    package var failure: Failure
    package var reply: [PasteboardItem]

    package init(_ outcome: Outcome, attempts: UInt32 = 1, failure: Failure = .init(), reply: [PasteboardItem] = []) {
        (self.outcome, self.attempts, self.failure, self.reply) = (outcome, attempts, failure, reply)
    }

    /// Creates an end that the broker or the bus determined, with its reason.
    package init(_ outcome: Outcome, name: String = "", code: String = "", because reason: String) {
        self.init(outcome, attempts: 0, failure: Failure(name: name, code: code, message: reason))
    }
}

// The ends that were not determined by a handler.
extension RequestEnd {
    package static let calledOff = calledOff(because: "a caller that knows the id cancelled it")
    package static let senderLeft = calledOff(because: "the sender left before the request was delivered")

    private static func calledOff(because reason: String) -> RequestEnd {
        RequestEnd(.cancelled, code: Outcome.calledOffCode, because: reason)
    }

    static let handlerCrashed = RequestEnd(
        .failed, name: "org.freedesktop.DBus.Error.NoReply", code: handlerEndedCode,
        because: "the handler ended before it answered")
    private static let handlerEndedCode = "handler-ended"

    static func parked(after crashes: UInt32) -> RequestEnd {
        RequestEnd(
            .failed, code: "parked",
            because: "the handler ended each time while it had this request alone (\(crashes)); it is put aside and "
                + "can be retried")
    }

    static let unanswered = RequestEnd(
        .timedOut, because: "the handler did not answer in time; it may have handled it")

    /// The broker stopped while the sender was waiting, and the sender never came back.
    static let orphaned = RequestEnd(
        .timedOut, code: brokerEndedCode,
        because: "the broker ended while the request was under way; whether the handler did it is not known")
    private static let brokerEndedCode = "broker-ended"

    // The ends of requests that timed out before they were delivered, or delivered again.

    static func expiredAfterCrash(attempts: UInt32) -> RequestEnd {
        RequestEnd(
            .failed, code: handlerEndedCode,
            because: "the handler left without an answer when it had it (attempts: \(attempts)), and its time passed")
    }

    static let expiredAfterCut = RequestEnd(
        .timedOut,
        because: "the direct connection of the handler ended when it had it, and it could not be delivered again in "
            + "time; the handler may have handled it")

    static let expiredAfterRestart = RequestEnd(
        .timedOut, code: brokerEndedCode,
        because: "it was under way when an earlier broker ended, and could not be delivered again in time; the handler "
            + "may have handled it")

    static let expiredDuringStart = RequestEnd(
        .expired,
        because: "its time passed while the bus was starting the handler, which has not taken its bus name yet; it "
            + "never saw it")

    static let expired = RequestEnd(
        .expired, because: "its time passed before it was delivered; the handler never saw it")
}
