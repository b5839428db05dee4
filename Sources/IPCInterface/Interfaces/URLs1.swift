package import IPCDBus
package import IPCModel

/// `org.swiftipc.URLs1`: opening URLs, and the resulting requests. The reference is `dbus/org.swiftipc.URLs1.xml`.
package enum URLs1 {
    package static let name: InterfaceName = "org.swiftipc.URLs1"

    package static let openURL = Method(
        name, "OpenURL", takes: .of(Argument<String>("url"), Argument<OpenURLOptions>("options")),
        returns: .of(Argument<OpenURLResult>("result")),
        "Opens a URL in the application that handles its scheme, and waits for the outcome or queues the request.")
    package static let getRequest = Method(
        name, "GetRequest", takes: .of(Argument<String>("id"), Argument<GetRequestOptions>("options")),
        returns: .of(Argument<RequestFacts>("request")), "Returns all information about a request.")
    package static let waitRequest = Method(
        name, "WaitRequest", takes: .of(Argument<String>("id"), Argument<WaitRequestOptions>("options")),
        returns: .of(Argument<OpenURLResult>("result")), "Waits for the outcome of a request.")
    package static let cancelRequest = Method(
        name, "CancelRequest", takes: .of(Argument<String>("id"), Argument<NoOptions>("options")),
        returns: .none, "Cancels a request.")
    package static let retryRequest = Method(
        name, "RetryRequest", takes: .of(Argument<String>("id"), Argument<RetryRequestOptions>("options")),
        returns: .of(Argument<String>("new_id")), "Queues an unhandled request again, as a new request.")
    package static let dropRequest = Method(
        name, "DropRequest", takes: .of(Argument<String>("id"), Argument<NoOptions>("options")),
        returns: .none, "Forgets a request that has ended.")
    package static let listRequests = Method(
        name, "ListRequests", takes: .of(Argument<ListRequestsOptions>("options")),
        returns: .of(Argument<[RequestFacts]>("requests")), "Lists requests in the order in which they were accepted.")
    package static let traceRequest = Method(
        name, "TraceRequest", takes: .of(Argument<String>("id"), Argument<NoOptions>("options")),
        returns: .of(Argument<[TraceFacts]>("steps")), "Returns the steps that a request has gone through.")
    package static let requestCompleted = Signal(
        name, "RequestCompleted", carries: .of(Argument<String>("id"), Argument<String>("outcome")),
        "Reports the outcome of a queued request to the connection that queued it.")

    package static let description = InterfaceDescription(
        name, openURL, getRequest, waitRequest, cancelRequest, retryRequest, dropRequest, listRequests, traceRequest,
        requestCompleted)
}

package struct OpenURLOptions: Options {
    package var id: String?
    package var application: String?
    package var items: [PasteboardItem]?
    package var pasteboard: String?
    package var changeCount: UInt64?
    package var set: PayloadSetOptions?
    package var annotation: Value?
    /// How many milliseconds the answer may take after acceptance or, for a queued request, after its delivery.
    package var timeout: UInt32?
    package var queue: Bool?
    /// How many milliseconds after acceptance a queued request expires if it has not been delivered.
    package var timeToLive: UInt64?
    /// The id of the request that the sender is handling.
    package var parent: String?
    package var sourceApplication: String?
    package var activationToken: String?
    /// Whether the sender accepts descriptors in the reply.
    package var fd: Bool?
    /// Whether this call repeats an earlier call whose answer was lost.
    package var repeated: Bool?
    /// How many more milliseconds the sender of a repeated call waits for the outcome.
    package var timeLeft: UInt32?
    /// Whether a desktop application may get the URL if no application claims the scheme; true by default.
    package var desktop: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("id", \.id), Key("application", \.application), Key("items", \.items), Key("pasteboard", \.pasteboard),
        Key("change-count", \.changeCount), Key("set", \.set),
        Key("annotation", \.annotation, limit: "annotation-bytes"),
        Key("timeout", \.timeout), Key("queue", \.queue), Key("time-to-live", \.timeToLive),
        Key("parent", \.parent), Key("source-application", \.sourceApplication),
        Key("activation-token", \.activationToken, limit: "annotation-bytes"), Key("fd", \.fd),
        Key("repeated", \.repeated), Key("time-left", \.timeLeft), Key("desktop", \.desktop),
    ]
}

/// The options for writing a payload to its pasteboard.
package struct PayloadSetOptions: Options {
    package var ifChangeCount: UInt64?
    package var create: Bool?
    package var persistent: Bool?
    /// In milliseconds.
    package var timeToLive: UInt64?
    package var sensitive: Bool?
    package var once: Bool?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("if-change-count", \.ifChangeCount), Key("create", \.create), Key("persistent", \.persistent),
        Key("time-to-live", \.timeToLive), Key("sensitive", \.sensitive), Key("once", \.once),
    ]
}

package struct OpenURLResult: Facts {
    package var id: String?
    package var outcome: String?
    package var application: String?
    package var changeCount: UInt64?
    package var items: [PasteboardItem]?
    package var attempts: UInt32?
    package var errorName: String?
    package var errorCode: String?
    package var errorMessage: String?
    package init() {}
    package static let keys: [Key<Self>] = [
        Key("id", \.id), Key("outcome", \.outcome), Key("application", \.application),
        Key("change-count", \.changeCount), Key("items", \.items), Key("attempts", \.attempts),
        Key("error-name", \.errorName), Key("error-code", \.errorCode), Key("error-message", \.errorMessage),
    ]
}
