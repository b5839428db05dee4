internal import IPCDBus
package import IPCModel

package struct GetRequestOptions: Options {
    /// Whether the caller accepts descriptors in the reply.
    package var fd: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("fd", \.fd)]
}

package struct WaitRequestOptions: Options {
    /// In milliseconds.
    package var timeout: UInt32?
    package var fd: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [Key("timeout", \.timeout), Key("fd", \.fd)]
}

package struct RetryRequestOptions: Options {
    /// The id of the new request.
    package var id: String?
    package init() {}
    package static let keys: [Key<Self>] = [Key("id", \.id)]
}

package struct ListRequestsOptions: Options {
    package var after: String?
    package var limit: UInt32?
    /// The state of the requests to list (`waiting`, `delivered` or `ended`), or their outcome.
    package var state: String?
    package var application: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("after", \.after), Key("limit", \.limit), Key("state", \.state), Key("application", \.application),
    ]
}

/// The metadata of a request. In lists, the reply is left out.
package struct RequestFacts: Facts {
    package var id: String?
    package var url: String?
    package var state: String?
    package var outcome: String?
    package var lateOutcome: String?
    package var application: String?
    package var sourceApplication: String?
    package var sourceStrength: String?
    package var queue: Bool?
    package var pasteboard: String?
    package var changeCount: UInt64?
    /// The number of items in the payload.
    package var itemCount: UInt32?
    /// The size of the payload in bytes.
    package var size: UInt64?
    package var attempts: UInt32?
    package var parent: String?
    /// The id of the latest retry of the request.
    package var retriedAs: String?
    /// Milliseconds since 1970 UTC, like `expires` and `ended`.
    package var accepted: UInt64?
    package var expires: UInt64?
    package var ended: UInt64?
    /// The items of the handler's reply.
    package var items: [PasteboardItem]?
    package var errorName: String?
    package var errorCode: String?
    package var errorMessage: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("id", \.id), Key("url", \.url), Key("state", \.state), Key("outcome", \.outcome),
        Key("late-outcome", \.lateOutcome), Key("application", \.application),
        Key("source-application", \.sourceApplication), Key("source-strength", \.sourceStrength),
        Key("queue", \.queue), Key("pasteboard", \.pasteboard), Key("change-count", \.changeCount),
        Key("item-count", \.itemCount), Key("size", \.size), Key("attempts", \.attempts), Key("parent", \.parent),
        Key("retried-as", \.retriedAs), Key("accepted", \.accepted), Key("expires", \.expires), Key("ended", \.ended),
        Key("items", \.items), Key("error-name", \.errorName), Key("error-code", \.errorCode),
        Key("error-message", \.errorMessage),
    ]
}

package struct TraceFacts: Facts {
    /// Milliseconds since 1970 UTC.
    package var time: UInt64?
    package var step: String?
    package var attempt: UInt32?
    package var who: String?
    package var size: UInt64?
    package var detail: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("time", \.time), Key("step", \.step), Key("attempt", \.attempt), Key("who", \.who), Key("size", \.size),
        Key("detail", \.detail),
    ]
}
