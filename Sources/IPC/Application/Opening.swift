extension Application {
    /// Whether ``open(_:sending:on:options:)`` would be accepted now: the scheme has a handler that runs or can be
    /// started. Starts nothing.
    /// - Throws: `invalidURL`.
    public func canOpenURL(_ url: String) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(url))
    }

    /// Waits for a limited time until ``canOpenURL(_:)`` becomes true, for example while a handler starts. Does not
    /// start the handler, and does not poll: the broker and the bus report changes. A policy that begins to allow this
    /// application is not reported.
    /// - Returns: false if the time runs out.
    /// - Throws: `invalidURL`; `storeUnavailable` without a broker, and when the task is cancelled.
    public func canOpenURL(_ url: String, within time: Duration) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(url), within: time)
    }

    /// Opens a URL in the application that handles its scheme, and waits for the outcome, or queues the request.
    ///
    /// Setting the pasteboard and opening the URL are one step: the handler gets exactly these items. If no
    /// application has claimed the scheme, the desktop's own handler gets the URL without a payload, and the outcome is
    /// `delivered`.
    ///
    /// If the task is cancelled during the wait, this cancels the request by its id, and throws at once. A request that
    /// was not delivered ends as `cancelled`. The handler of a delivered one is notified, and its answer decides. An
    /// application without `resends` must give the request an id for that.
    ///
    /// - Parameters:
    ///   - url: a text that starts with a scheme and a colon, without control characters, at most 1 MiB; it arrives
    ///     byte for byte.
    ///   - items: the payload, at most 16 MiB in all unless the handler takes descriptors; the rest travels as files.
    ///   - board: the pasteboard that gets the items; without items, the pasteboard whose version is sent.
    ///   - options: further properties of the request.
    /// - Returns: the outcome, also if the handler declined or failed; `queued` at once for a queued request.
    /// - Throws: `noHandler`, `handlerUnavailable`, `invalidURL`, `changeCountMismatch`, `accessDenied`, `loopDetected`
    ///   and others: the request was not accepted, and no handler was asked. `storeUnavailable` may also mean that the
    ///   answer to a request without an id was lost, or that the task was cancelled. If a request with an id was sent
    ///   again and no broker has come back to answer it, the outcome is `timedOut`.
    public func open(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> OpenURLResponse {
        try await opener.open(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Queues a request to open a URL: when this returns, the request is on disk, and it is delivered when its handler can
    /// be reached. The parameters are those of ``open(_:sending:on:options:)``.
    /// - Returns: the request, to wait for its end, to cancel it, or to look at it.
    /// - Throws: as ``open(_:sending:on:options:)``.
    @discardableResult
    public func queue(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> Request {
        var options = options
        options.isQueued = true
        return request(try await open(url, sending: items, on: board, options: options).id)
    }

    /// Opens a URL and returns the handler's reply. Any other outcome is an error.
    ///
    /// With ``OpenOptions/isQueued``, the request is stored on disk, and the wait continues over restarts of the
    /// broker, the bus and the handler. If the task is cancelled, this cancels the request, as
    /// ``open(_:sending:on:options:)`` does.
    /// - Returns: the reply, without items if the handler gave none or cannot answer.
    /// - Throws: the reason why there is no reply.
    public func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Opens a URL of x-callback-url and returns the reply, which the handler gives directly or by a callback. So a
    /// handler that only knows x-callback-url can answer.
    ///
    /// The call registers a scheme, on a connection and with a bus name of its own, and adds `x-source`, `x-success`,
    /// `x-error` and `x-cancel` to the URL's parameters. Each callback contains a random token; a callback without it
    /// is declined. The first of these ends the call: a callback, a reply with items, or an outcome other than success.
    /// After a callback, the handler has one second more for its answer, which may hold more than a URL can. A handler
    /// that reports `handled` without items, or cannot answer, has until the time-out to call back; then the reply has
    /// no items. The reply of a callback has the text of its `result`, and a JSON object of strings with all its
    /// parameters.
    ///
    /// The scheme ends with the call. If another application handles it, a unique scheme is derived from it. A URL of
    /// another form is opened without callbacks, as by ``call(_:sending:on:options:)``, which has the other parameters.
    /// - Throws: as ``call(_:sending:on:options:)``; `invalidArguments` if the URL already names callbacks.
    public func call(
        _ url: String, callbackScheme scheme: URLScheme, sending items: [PasteboardItem]? = nil,
        on board: Pasteboard? = nil, options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(
            OutgoingURL(url: url, items: items, board: board, options: options), callbackScheme: scheme)
    }
}
