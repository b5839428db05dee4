internal import IPCDBus

extension Application {
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
        guard let asked = XCallbackURL(url) else {
            return try await call(url, sending: items, on: board, options: options)
        }
        let place = try await callbackPlace(for: asked, scheme)
        let race = CallRace(place, time: options.isQueued ? options.timeout : options.wait)
        let full = place.url(asked, source: id)
        let result = await race.result { () async throws(CallFailure) in
            try await self.end(of: full, items, board, options)
        }
        await place.close()
        return try result.get()
    }

    private func callbackPlace(
        for url: XCallbackURL, _ scheme: String
    ) async throws(CallFailure) -> CallbackPlace {
        do throws(IPCError) {
            try check(url: url.text)
            guard !url.namesCallbacks else {
                throw IPCError(
                    .invalidArguments, "the URL has callbacks of its own; take x-success, x-error and x-cancel off it")
            }
            return try await CallbackPlace.open(for: self, scheme: scheme)
        } catch { throw CallFailure(refused: error) }
    }
}
