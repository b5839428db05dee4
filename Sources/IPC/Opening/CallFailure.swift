/// The reason why ``Application/call(_:sending:on:options:)`` gave no reply. ``description`` is a message for people.
public struct CallFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The request was not accepted, or the broker's answer was lost; the error says which.
        case refused(IPCError)
        /// The handler declined the URL.
        case declined
        /// The sender, the handler or the user cancelled the request.
        case cancelled
        /// The handler failed, or exited before it answered. The code is for programs, and the message is for people;
        /// both come from the handler if it gave them.
        case failed(code: String, message: String)
        /// The handler could not be started.
        case unavailable
        /// The handler did not answer in time. It may have done the work.
        case timedOut
        /// The request expired before it was delivered.
        case expired
        /// The handler did the work, but its reply does not have the expected form.
        case unreadable(IPCError)
    }

    public let reason: Reason
    /// The broker's response, with the request's id; `nil` if the request was refused, or a callback reported failure.
    public let response: OpenURLResponse?

    init(_ reason: Reason, in response: OpenURLResponse? = nil) { (self.reason, self.response) = (reason, response) }

    /// - Returns: `nil` if the response is a success.
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
        // `queued` does not occur, because a call waits until a queued request has ended.
        case .expired, .queued: reason = .expired
        }
        self.response = response
    }

    /// The reason as a code for programs: the handler's error code, the outcome, or the code of the error.
    public var code: String {
        switch reason {
        case .refused(let error), .unreadable(let error): error.code.rawValue
        case .failed(let code, _): code
        case .declined, .cancelled, .unavailable, .timedOut, .expired: outcome?.rawValue ?? ""
        }
    }

    /// The outcome of the request; `nil` if it was refused, or if its reply cannot be read.
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

    /// The exit code with which the tools report this failure.
    public var exitCode: Int32 {
        switch reason {
        case .refused(let error), .unreadable(let error): error.exitCode
        default: (outcome ?? .failed).exitCode
        }
    }

    public var description: String {
        let message = response?.errorMessage.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        return switch reason {
        case .refused(let error), .unreadable(let error): error.message
        case .declined: "the handler declined the URL\(message)"
        case .cancelled where response?.isCalledOff == true: "the request was cancelled\(message)"
        case .cancelled: "the handler cancelled the request\(message)"
        case .failed(let code, let sentence): sentence.isEmpty ? "the handler failed (\(code))" : sentence
        case .unavailable: message.isEmpty ? "the handler could not be started" : String(message.dropFirst(2))
        case .timedOut where response?.errorCode == OpenURLResponse.connectionLost:
            "the answer was lost\(message); the handler may have handled the URL"
        case .timedOut: "the handler got the URL but did not answer in time; it may have handled the URL"
        case .expired: "the URL was not delivered in time\(message)"
        }
    }
}
