internal import IPCInterface

/// A callback of x-callback-url that was not opened, or not handled; see ``Application/onCallbackFailure(_:)``.
///
/// It holds nothing that anybody sent but names: no URL, for its parameters are the reply.
public struct CallbackFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the request that was answered.
    public let request: String
    /// Which callback: `x-success`, `x-error` or `x-cancel`.
    public let callback: String
    /// The scheme of the callback; `nil` where it is no URL.
    public let scheme: String?
    /// Why, as a part of a sentence for people.
    public let reason: String
    /// Whether it was opened, and its receiver has not handled it.
    public let wasOpened: Bool

    init(
        of request: String, _ callback: XCallbackURL.Callback, scheme: URLScheme?, wasOpened: Bool = false,
        because reason: String
    ) {
        (self.request, self.callback, self.scheme) = (request, callback.rawValue, scheme?.spelling)
        (self.reason, self.wasOpened) = (reason, wasOpened)
    }

    public var description: String { "\(callback) of \(request) is not \(wasOpened ? "handled" : "opened"): \(reason)" }
}

extension CallbackFailure {
    /// What an outcome says of a callback, without the words of its receiver; `nil` for one that was handled.
    static func reason(_ outcome: Outcome, _ application: String, time: Duration) -> String? {
        let seconds = "\(time.components.seconds) s"
        return switch outcome {
        case .handled, .delivered, .queued: nil
        case .declined: "\(application) declined it"
        case .cancelled: "it was called off"
        case .failed: "\(application) failed"
        case .unavailable: "\(application) could not be started"
        case .timedOut: "\(application) has not answered within \(seconds)"
        case .expired: "it was not delivered to \(application) within \(seconds)"
        }
    }
}
