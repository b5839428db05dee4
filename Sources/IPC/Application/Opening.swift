extension Application {
    /// Whether ``open(_:sending:on:options:)`` would be accepted now: the scheme has a handler that is running or can
    /// be started. This starts nothing.
    /// - Throws: `invalidURL`.
    public func canOpenURL(_ url: String) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(url))
    }

    /// Waits for a limited time until ``canOpenURL(_:)`` becomes true, for example while a handler starts. It does not
    /// start the handler, and it does not poll: the broker and the bus report changes. A policy change that lets this
    /// application open the URL is not noticed.
    /// - Returns: `false` if the time runs out.
    /// - Throws: `invalidURL`; `noBus` if there is no bus; `storeUnavailable` if there is no broker, or if the task is
    ///   cancelled.
    public func canOpenURL(_ url: String, within time: Duration) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(url), within: time)
    }

    /// Opens a URL in the application that handles its scheme, and waits for the outcome, or queues the request.
    ///
    /// Writing the items to the pasteboard and opening the URL is a single step: the handler gets exactly these items.
    /// If no application claims the scheme, the desktop's own handler gets the URL without a payload, and the outcome
    /// is `delivered`.
    ///
    /// If the task is cancelled during the wait, this cancels the request by its id, and throws at once. If the request
    /// was not delivered, it ends as `cancelled`; otherwise, its handler is notified, and the handler's answer decides.
    /// An application without `resends` must give the request an id for this to work.
    ///
    ///   - url: a string that starts with a scheme and a colon, without control characters, at most 1 MiB. It arrives
    ///     unchanged, byte for byte.
    ///   - items: the payload: at most 16 MiB in all, or more if the handler accepts descriptors, because large values
    ///     are then sent as files.
    ///   - board: the pasteboard to write the items to or, without items, the pasteboard whose version is sent.
    ///   - options: further properties of the request.
    /// - Returns: the outcome, even if the handler declined or failed; `queued` at once for a queued request.
    /// - Throws: `noHandler`, `handlerUnavailable`, `invalidURL`, `changeCountMismatch`, `accessDenied`, `loopDetected`
    ///   and others, if the request was not accepted and no handler was called. `storeUnavailable` may also mean that
    ///   the answer to a request without an id was lost, or that the task was cancelled. If a request with an id was
    ///   sent again and no broker came back to answer it, this returns the outcome `timedOut` instead.
    public func open(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> OpenURLResponse {
        try await opener.open(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Queues a request to open a URL. When this returns, the request is on disk. It is delivered once its handler can
    /// be reached. The parameters are those of ``open(_:sending:on:options:)``.
    /// - Returns: the request, which can be awaited, cancelled or inspected.
    /// - Throws: the same errors as ``open(_:sending:on:options:)``.
    @discardableResult
    public func queue(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> Request {
        var options = options
        options.isQueued = true
        return request(try await open(url, sending: items, on: board, options: options).id)
    }

    /// Opens a URL and returns the handler's reply. All other outcomes are thrown as errors.
    ///
    /// With ``OpenOptions/isQueued``, the request is stored on disk, and the wait continues across restarts of the
    /// broker, the bus and the handler. If the task is cancelled, this cancels the request, as
    /// ``open(_:sending:on:options:)`` does.
    /// - Returns: the reply. It has no items if the handler gave none or cannot answer.
    /// - Throws: the reason why there is no reply.
    public func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Opens a URL of x-callback-url and returns the reply, which the handler gives directly or through a callback.
    /// This way, even a handler that only knows x-callback-url can answer.
    ///
    /// The call registers a scheme, with its own connection and bus name, and adds `x-source`, `x-success`, `x-error`
    /// and `x-cancel` to the URL's parameters. Each callback contains a random token, and callbacks without it are
    /// declined. The call completes with the first of these: a callback, a reply with items, or an outcome other than
    /// success. After a callback, the handler has one more second to answer directly, because that answer may hold more
    /// than a URL can. If the handler reports `handled` without items, or cannot answer, it has until the time-out to
    /// call back; after that, the reply has no items. The reply of a callback consists of the text of its `result`, and
    /// of a JSON object of strings with all its parameters.
    ///
    /// The scheme is released when the call completes. If another application already handles it, the call uses a
    /// unique scheme derived from it. A URL that does not have the form of x-callback-url is opened without callbacks,
    /// as by ``call(_:sending:on:options:)``, whose parameters also apply here.
    /// - Throws: as ``call(_:sending:on:options:)``; `invalidArguments` if the URL already names callbacks.
    public func call(
        _ url: String, callbackScheme scheme: URLScheme, sending items: [PasteboardItem]? = nil,
        on board: Pasteboard? = nil, options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(
            OutgoingURL(url: url, items: items, board: board, options: options), callbackScheme: scheme)
    }
}
