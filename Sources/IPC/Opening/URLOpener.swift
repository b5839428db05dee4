internal import IPCDBus
internal import IPCInterface

/// A URL to open, with its payload.
struct OutgoingURL: Sendable {
    var url: String
    let items: [PasteboardItem]?
    let board: Pasteboard?
    var options: OpenOptions
}

/// Opens URLs for one application: asks whether the broker would accept a URL, sends it, and waits for the outcome.
@DBusActor
struct URLOpener {
    private let link: BrokerLink
    private let claims: SchemeClaims
    private let records: RequestRecords
    private let source: String

    /// - Parameter source: the id of the application, which is stated as the source.
    init(_ link: BrokerLink, _ claims: SchemeClaims, _ records: RequestRecords, source: String) {
        (self.link, self.claims, self.records, self.source) = (link, claims, records, source)
    }

    // MARK: Asking

    func canOpen(_ url: URLText) async throws(IPCError) -> Bool {
        var options = CanOpenURLOptions()
        options.sourceApplication = source
        return try await link.call(Schemes1.canOpenURL, (url.text, options), repeatable: true)
    }

    /// Waits until a URL can be opened.
    /// - Returns: false if the time was over first.
    func canOpen(_ url: URLText, within time: Duration) async throws(IPCError) -> Bool {
        // Before the first question, so that no change is missed.
        let changes = try await HandlerChanges(of: url.scheme, link, within: time)
        repeat {
            if try await canOpen(url) { return true }
            try await changes.follow(try await claims.resolve(url).application)
        } while try await changes.next()
        return false
    }

    // MARK: Opening

    func open(_ outgoing: OutgoingURL) async throws(IPCError) -> OpenURLResponse {
        let url = try URLText(checking: outgoing.url)
        let (items, options) = (outgoing.items, outgoing.options)
        var wire = try options.wire()
        wire.id = wire.id ?? link.repetitionID()
        wire.fd = link.takesDescriptors
        if let items {
            wire.items = try await OutgoingItems.prepare(items, passes: link.passesDescriptors, prefersInline: true)
        }
        wire.pasteboard = outgoing.board?.name
        wire.sourceApplication = source
        let storing = BrokerLink.time(storing: items?.byteCount ?? 0)
        return try await send(url, wire, wait: options.wait.map { $0 + storing }, storing)
    }

    /// - Parameters:
    ///   - wait: the time until the payload is stored and the outcome is known; `nil` if the sender does not wait.
    ///   - storing: the time until the payload is stored.
    private func send(
        _ url: URLText, _ wire: OpenURLOptions, wait: Duration?, _ storing: Duration
    ) async throws(IPCError) -> OpenURLResponse {
        let end = wait.map { ContinuousClock.now + $0 }
        // A request that was never sent needs no cancellation.
        guard !Task.isCancelled else { throw IPCError(CallError.cancelled) }
        var mayBeDone = false
        do throws(IPCError) {
            return try OpenURLResponse(
                try await link.call(
                    URLs1.openURL, (url.text, wire),
                    timeout: wait.map { $0 + BrokerLink.margin } ?? BrokerLink.timeout + storing,
                    repeatable: wire.id != nil,
                    repeated: {
                        mayBeDone = true
                        return ($0.0, $0.1.again(until: end))
                    }))
        } catch {
            guard let id = wire.id else { throw error }
            if Task.isCancelled {
                cancel(id)
            } else if mayBeDone, [.storeUnavailable, .timedOut].contains(error.code) {
                // No broker is left that could say more.
                guard end == nil else { return OpenURLResponse(unknownEndOf: id, error) }
                throw IPCError(error.code, "\(error.message); the request \(id) may be queued all the same")
            }
            throw error
        }
    }

    /// Cancels a request for a sender that does not wait for the answer. The cancellation has left, behind the request,
    /// when this returns; without a bus, as soon as there is one.
    private func cancel(_ id: String) {
        let input = (id, NoOptions())
        let isSent =
            link.connection.isConnected
            && (try? link.connection.notify(URLs1.cancelRequest, on: link.broker, at: Broker1.path, input)) != nil
        guard !isSent else { return }
        // The task of the sender is cancelled, so it can make no call.
        Task { _ = try? await link.call(URLs1.cancelRequest, input, repeatable: true) }
    }

    // MARK: Calling

    /// Opens a URL and returns the reply of its handler.
    func call(_ outgoing: OutgoingURL) async throws(CallFailure) -> CallReply {
        let response = try await end(of: outgoing)
        if let failure = CallFailure(response) { throw failure }
        return CallReply(response)
    }

    /// The same with a URL of x-callback-url, whose handler may also reply by a callback.
    func call(_ outgoing: OutgoingURL, callbackScheme scheme: String) async throws(CallFailure) -> CallReply {
        guard let asked = XCallbackURL(outgoing.url) else { return try await call(outgoing) }
        let place = try await callbackPlace(for: asked, scheme)
        let options = outgoing.options
        let race = CallRace(place, time: options.isQueued ? options.timeout : options.wait)
        var full = outgoing
        full.url = place.url(asked, source: source)
        let result = await race.result { [full] () async throws(CallFailure) in try await self.end(of: full) }
        await place.close()
        return try result.get()
    }

    private func callbackPlace(
        for url: XCallbackURL, _ scheme: String
    ) async throws(CallFailure) -> CallbackPlace {
        do throws(IPCError) {
            // The place costs a connection, which a wrong URL is not worth.
            _ = try URLText(checking: url.text)
            guard !url.namesCallbacks else {
                throw IPCError(
                    .invalidArguments, "the URL has callbacks of its own; take x-success, x-error and x-cancel off it")
            }
            return try await CallbackPlace.open(for: source, on: link.bus, scheme: scheme)
        } catch { throw CallFailure(refused: error) }
    }

    /// Opens a URL and waits for its outcome. A task that is cancelled while it waits cancels the request.
    private func end(of outgoing: OutgoingURL) async throws(CallFailure) -> OpenURLResponse {
        do throws(IPCError) {
            let response = try await open(outgoing)
            guard !response.outcome.isEnd else { return response }
            do throws(IPCError) { return try await records.end(of: RequestID(checking: response.id)) } catch {
                if Task.isCancelled { cancel(response.id) }
                throw error
            }
        } catch {
            throw CallFailure(refused: error)
        }
    }
}
