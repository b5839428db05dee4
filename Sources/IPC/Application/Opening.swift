extension Application {
    /// Whether ``open(_:sending:on:options:)`` would be accepted now: the scheme has a handler that runs or can be
    /// started. Nothing is started.
    /// - Throws: `invalidURL`.
    public func canOpenURL(_ url: String) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(checking: url))
    }

    /// Waits until ``canOpenURL(_:)`` is true, for a receiver that is being started. Nothing is started, and nobody is asked
    /// again and again: the broker and the bus tell when something has changed. A policy that lets this application in from
    /// now on is not told.
    /// - Parameters:
    ///   - url: the URL; only its scheme matters.
    ///   - time: how long at most.
    /// - Returns: false where the time was over before.
    /// - Throws: `invalidURL`; `storeUnavailable` without a broker, and when the task is cancelled.
    public func canOpenURL(_ url: String, within time: Duration) async throws(IPCError) -> Bool {
        try await opener.canOpen(try URLText(checking: url), within: time)
    }

    /// Opens a URL in the application that handles its scheme, and waits for the outcome, or queues the request.
    ///
    /// Where nobody has claimed the scheme, the desktop's own handler gets the URL, without a payload; the outcome is then
    /// `delivered`.
    ///
    /// Setting the pasteboard and opening the URL are one step: the receiver gets exactly these items.
    ///
    /// A sender that gives up cancels: when the task is cancelled while it waits here, the request is called off by its
    /// id, and this throws at once. What was not delivered then ends as `cancelled`; of what was, the receiver is told,
    /// and its answer decides. An application without `resends` has to give the request an id for that.
    ///
    /// - Parameters:
    ///   - url: any text that starts with a scheme and a colon, without control characters, at most 1 MiB; it arrives
    ///     byte for byte.
    ///   - items: the payload, at most 16 MiB in all unless the receiver takes descriptors; what is more travels as
    ///     files.
    ///   - board: where the items are put; without items, the pasteboard whose version is sent.
    ///   - options: what else there is to say of the request.
    /// - Returns: the outcome, also where the receiver declined or failed; `queued` at once for a queued request.
    /// - Throws: an error means that nothing was accepted and nobody was asked, such as `noHandler`,
    ///   `handlerUnavailable`, `invalidURL`, `changeCountMismatch`, `accessDenied`, `loopDetected`. `storeUnavailable`
    ///   may also mean that the answer was lost of a request without an id, or that the task was cancelled; where a
    ///   request with an id was sent again and no broker has come back to answer, the outcome is `timedOut`.
    public func open(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> OpenURLResponse {
        try await opener.open(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Opens a URL and gives the handler's reply; whatever is no success is an error.
    ///
    /// With ``OpenOptions/isQueued`` the request is on the disk, and the reply is waited for until the request ends, over
    /// restarts of everybody but this process.
    ///
    /// When the task is cancelled, the request is called off, as by ``open(_:sending:on:options:)``.
    /// - Returns: the reply, without items where the handler gave none or cannot answer.
    /// - Throws: the one reason why there is none.
    public func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(OutgoingURL(url: url, items: items, board: board, options: options))
    }

    /// Opens a URL of x-callback-url and gives the reply, be it a direct one or one that comes by a callback, so that a
    /// handler that knows nothing but x-callback-url can answer.
    ///
    /// For the time of the call a scheme is registered, on a connection and with a bus name of the call's own, and the
    /// URL gets `x-source`, `x-success`, `x-error` and `x-cancel` behind its parameters. The callbacks have a random
    /// token in them; a URL without it is declined. What comes first counts: a callback, a reply with items, or any
    /// outcome but success. A handler that calls back and has not answered yet gets one second more for its answer, in
    /// which there may be more than a URL can carry. One that says `handled` and gives nothing back has until the time-out
    /// to call back, and so has a program that cannot answer; then the reply is without items. Of a callback, `result` is
    /// the text of the reply, and all its parameters are the members of a JSON object of strings.
    ///
    /// A URL of another form is called without callbacks; see ``call(_:sending:on:options:)``.
    /// - Parameters:
    ///   - url: a URL of x-callback-url, without callbacks.
    ///   - scheme: what the callbacks' scheme is to be; where somebody else handles it, a unique one is made of it. It
    ///     ends with the call.
    ///   - items: the payload.
    ///   - board: where the items are put.
    ///   - options: what else there is to say of the request.
    /// - Throws: as ``call(_:sending:on:options:)``; `invalidArguments` for a URL that names callbacks already.
    public func call(
        _ url: String, callbackScheme scheme: String, sending items: [PasteboardItem]? = nil,
        on board: Pasteboard? = nil, options: OpenOptions = OpenOptions()
    ) async throws(CallFailure) -> CallReply {
        try await opener.call(
            OutgoingURL(url: url, items: items, board: board, options: options), callbackScheme: scheme)
    }

    /// Opens a URL and tells a delegate the handler's reply, or why there is none; returns at once. The rest is as in
    /// ``call(_:sending:on:options:)``.
    @discardableResult
    public nonisolated func call(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions(), delegate: any OpenURLCallDelegate
    ) -> OpenURLCall {
        OpenURLCall(OutgoingURL(url: url, items: items, board: board, options: options), by: self, for: delegate)
    }
}
