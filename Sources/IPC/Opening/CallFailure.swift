/// Why ``Application/call(_:sending:on:options:)`` gave no reply.
///
/// ``description`` is a sentence for people.
public struct CallFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public enum Reason: Sendable, Hashable {
        /// It was not accepted, and nobody was asked, or the broker's answer was lost; the error says which.
        case refused(IPCError)
        /// The handler did not want it.
        case declined
        /// The sender, the handler or the user broke it off.
        case cancelled
        /// The handler tried and failed, or ended before it answered: a word for programs and a sentence for people, in
        /// the handler's words where it gave any.
        case failed(code: String, message: String)
        /// The handler could not be started.
        case unavailable
        /// The handler got it and has not answered in time; it may have done it.
        case timedOut
        /// It never reached its handler in its time.
        case expired
        /// The handler has done it, and its reply is not what the caller takes it for.
        case unreadable(IPCError)
    }

    public let reason: Reason
    /// The answer of the broker, with the id by which more can be asked; `nil` where the request was refused.
    public let response: OpenURLResponse?

    init(refused error: IPCError) { (reason, response) = (.refused(error), nil) }

    /// What the outcome means to who wants a reply; `nil` where it is success.
    init?(_ response: OpenURLResponse) {
        switch response.outcome {
        case .handled, .delivered: return nil
        case .declined: reason = .declined
        case .cancelled: reason = .cancelled
        case .failed:
            reason = .failed(
                code: response.errorCode ?? response.errorName ?? Outcome.failed.rawValue,
                message: response.errorMessage ?? "")
        case .unavailable: reason = .unavailable
        case .timedOut: reason = .timedOut
        // One that is queued still is asked for until it has ended.
        case .expired, .queued: reason = .expired
        }
        self.response = response
    }

    /// A reply that has come and cannot be read.
    init(unreadable error: IPCError, in response: OpenURLResponse?) {
        (reason, self.response) = (.unreadable(error), response)
    }

    /// A failure that came back by a callback.
    init(_ reason: Reason) { (self.reason, response) = (reason, nil) }

    /// The reason as a word for programs: the handler's error code, the outcome, or the kind of the refusal.
    public var code: String {
        switch reason {
        case .refused(let error), .unreadable(let error): error.code.rawValue
        case .failed(let code, _): code
        case .declined, .cancelled, .unavailable, .timedOut, .expired: outcome?.rawValue ?? ""
        }
    }

    /// The outcome that it stands for; `nil` where the request was refused, or its reply cannot be read.
    public var outcome: Outcome? {
        switch reason {
        case .refused, .unreadable: nil
        case .declined: .declined
        case .cancelled: .cancelled
        case .failed: .failed
        case .unavailable: .unavailable
        case .timedOut: .timedOut
        case .expired: .expired
        }
    }

    public var description: String {
        let message = response?.errorMessage.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        return switch reason {
        case .refused(let error), .unreadable(let error): error.message
        case .declined: "the handler declined the URL\(message)"
        case .cancelled where response?.isCalledOff == true: "the request was called off\(message)"
        case .cancelled: "the handler called the request off\(message)"
        case .failed(let code, let sentence): sentence.isEmpty ? "the handler failed (\(code))" : sentence
        case .unavailable: message.isEmpty ? "the handler could not be started" : String(message.dropFirst(2))
        case .timedOut where response?.errorCode == OpenURLResponse.connectionLost:
            "the answer was lost\(message); the handler may have done it"
        case .timedOut: "the handler got the URL and has not answered in time; it may have done it"
        case .expired: "the URL was not delivered in its time\(message)"
        }
    }
}
