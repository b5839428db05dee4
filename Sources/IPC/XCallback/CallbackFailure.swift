internal import IPCInterface

/// A callback of x-callback-url that was not opened or not handled; see ``Application/onCallbackFailure(_:)``. It has
/// only names and not the URL, because the URL's parameters contain the reply.
public struct CallbackFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the request that was answered.
    public let request: RequestID
    /// The name of the callback: `x-success`, `x-error` or `x-cancel`.
    public let callback: String
    /// The scheme of the callback; `nil` if the callback is not a URL.
    public let scheme: URLScheme?
    /// The reason, as part of a message for people.
    public let reason: String
    /// Whether the callback was opened, but its handler did not handle it.
    public let wasOpened: Bool

    init(
        of request: RequestID, _ callback: XCallbackURL.Callback, scheme: URLScheme?, wasOpened: Bool = false,
        because reason: String
    ) {
        (self.request, self.callback, self.scheme) = (request, callback.rawValue, scheme)
        (self.reason, self.wasOpened) = (reason, wasOpened)
    }

    public var description: String {
        "\(callback) of \(request) was not \(wasOpened ? "handled" : "opened"): \(reason)"
    }
}

extension CallbackFailure {
    /// Why a callback was not handled, without the handler's own words; `nil` if the callback was handled.
    static func reason(_ outcome: Outcome, _ application: String, time: Duration) -> String? {
        let seconds = "\(time.components.seconds) s"
        return switch outcome {
        case .handled, .delivered, .queued: nil
        case .declined: "\(application) declined the callback"
        case .cancelled: "it was cancelled"
        case .failed: "\(application) failed"
        case .unavailable: "\(application) could not be started"
        case .timedOut: "\(application) did not answer within \(seconds)"
        case .expired: "the callback was not delivered to \(application) within \(seconds)"
        }
    }
}
