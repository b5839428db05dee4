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

    /// Creates the end of a request that the broker or the bus ended, not the handler.
    package init(_ outcome: Outcome, name: String = "", code: String = "", because reason: String) {
        self.init(outcome, attempts: 0, failure: Failure(name: name, code: code, message: reason))
    }
}

extension RequestEnd {
    package static let calledOff = calledOff(because: "a caller that knows the id cancelled it")
    package static let senderLeft = calledOff(because: "the sender disconnected before the request was delivered")

    private static func calledOff(because reason: String) -> RequestEnd {
        RequestEnd(.cancelled, code: Outcome.calledOffCode, because: reason)
    }

    static let handlerCrashed = RequestEnd(
        .failed, name: "org.freedesktop.DBus.Error.NoReply", code: handlerEndedCode,
        because: "the handler exited before it answered")
    private static let handlerEndedCode = "handler-ended"

    static func parked(after crashes: UInt32) -> RequestEnd {
        RequestEnd(
            .failed, code: "parked",
            because: "the handler crashed \(crashes) times while this was its only request; the request is parked and "
                + "can be retried")
    }

    static let unanswered = RequestEnd(
        .timedOut, because: "the handler did not answer in time; it may have handled the request")

    /// The broker stopped while the sender was waiting, and the sender never came back.
    static let orphaned = RequestEnd(
        .timedOut, code: brokerEndedCode,
        because: "the broker stopped while the handler had the request; it is unknown whether it was handled")
    private static let brokerEndedCode = "broker-ended"

    // The ends of requests that timed out before they could be delivered or redelivered.

    static func expiredAfterCrash(attempts: UInt32) -> RequestEnd {
        RequestEnd(
            .failed, code: handlerEndedCode,
            because: "the handler left without answering (attempts: \(attempts)), and the request expired")
    }

    static let expiredAfterCut = RequestEnd(
        .timedOut,
        because: "the handler's direct connection closed while it had the request, which could not be delivered again "
            + "in time; the handler may have handled the request")

    static let expiredAfterRestart = RequestEnd(
        .timedOut, code: brokerEndedCode,
        because: "an earlier broker stopped while the handler had the request, which could not be delivered again in "
            + "time; the handler may have handled the request")

    static let expiredDuringStart = RequestEnd(
        .expired,
        because: "the request expired while the bus was starting the handler, which has not taken its bus name yet; "
            + "the handler never saw it")

    static let expired = RequestEnd(
        .expired, because: "the request expired before it was delivered; the handler never saw it")
}
