internal import IPCDBus
internal import IPCInterface

/// The arguments of ``Application/open(_:sending:on:options:)``.
struct OutgoingURL: Sendable {
    var url: String
    let items: [PasteboardItem]?
    let board: Pasteboard?
    var options: OpenOptions
}

@DBusActor
struct URLOpener {
    private let link: BrokerLink
    private let claims: SchemeClaims
    private let queries: RequestQueries
    private let source: String

    init(_ link: BrokerLink, _ claims: SchemeClaims, _ queries: RequestQueries, source: String) {
        (self.link, self.claims, self.queries, self.source) = (link, claims, queries, source)
    }

    // MARK: Asking

    func canOpen(_ url: URLText) async throws(IPCError) -> Bool {
        var options = CanOpenURLOptions()
        options.sourceApplication = source
        return try await link.call(Schemes1.canOpenURL, (url.text, options), repeatable: true)
    }

    func canOpen(_ url: URLText, within time: Duration) async throws(IPCError) -> Bool {
        // Subscribe before the first call, so that no change is missed.
        let changes = try await HandlerChanges(of: url.scheme, link, within: time)
        repeat {
            if try await canOpen(url) { return true }
            try await changes.follow(try await claims.resolve(url).application)
        } while try await changes.next()
        return false
    }

    // MARK: Opening

    func open(_ outgoing: OutgoingURL) async throws(IPCError) -> OpenURLResponse {
        let url = try URLText(outgoing.url)
        let (items, options) = (outgoing.items, outgoing.options)
        var wire = try options.wire()
        wire.id = wire.id ?? link.repetitionID()
        wire.fd = link.takesDescriptors
        if let items {
            wire.items = try await OutgoingItems.prepare(items, passes: link.passesDescriptors, prefersInline: true)
        }
        wire.pasteboard = outgoing.board?.name.text
        wire.sourceApplication = source
        let storing = BrokerLink.time(storing: items?.byteCount ?? 0)
        return try await send(url, wire, wait: options.wait.map { $0 + storing }, storing)
    }

    /// - Parameters:
    ///   - wait: the time to wait for the outcome, including `storing`; `nil` if the sender does not wait.
    ///   - storing: the time allowed for storing the payload.
    private func send(
        _ url: URLText, _ wire: OpenURLOptions, wait: Duration?, _ storing: Duration
    ) async throws(IPCError) -> OpenURLResponse {
        let end = wait.map { ContinuousClock.now + $0 }
        // If the task is already cancelled, send nothing, so that nothing has to be cancelled.
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
            } else if mayBeDone, error.code.meansNoAnswer {
                // No broker came back to report the outcome, so a sender that waits gets a response that says so.
                guard end == nil else { return try OpenURLResponse(unknownEndOf: RequestID(id), error) }
                throw IPCError(error.code, "\(error.message); the request \(id) may still have been queued")
            }
            throw error
        }
    }

    /// Cancels a request without waiting for the answer. The cancellation is sent after the request, but before this
    /// returns; if the bus is lost, the cancellation is sent as soon as the bus is back.
    private func cancel(_ id: String) {
        let input = (id, NoOptions())
        let isSent =
            link.connection.isConnected
            && (try? link.connection.notify(URLs1.cancelRequest, on: link.broker, at: Broker1.path, input)) != nil
        guard !isSent else { return }
        // The sender's task is cancelled and can make no more calls, so use a new one.
        Task { _ = try? await link.call(URLs1.cancelRequest, input, repeatable: true) }
    }

    // MARK: Calling

    func call(_ outgoing: OutgoingURL) async throws(CallFailure) -> CallReply {
        let response = try await end(of: outgoing)
        if let failure = CallFailure(response) { throw failure }
        return CallReply(response)
    }

    func call(_ outgoing: OutgoingURL, callbackScheme scheme: URLScheme) async throws(CallFailure) -> CallReply {
        guard let asked = XCallbackURL(outgoing.url) else { return try await call(outgoing) }
        let place: CallbackPlace
        do throws(IPCError) {
            // Check the URL before opening a `CallbackPlace`, which needs a connection of its own.
            _ = try URLText(asked.text)
            guard !asked.namesCallbacks else {
                throw IPCError(
                    .invalidArguments, "the URL already has callbacks; remove x-success, x-error and x-cancel from it")
            }
            place = try await CallbackPlace.open(for: source, on: link.bus, scheme: scheme)
        } catch { throw CallFailure(.refused(error)) }
        let options = outgoing.options
        var full = outgoing
        full.url = place.url(asked, source: source)
        let result = await place.reply(within: options.isQueued ? options.timeout : options.wait) {
            [full] () async throws(CallFailure) in try await self.end(of: full)
        }
        await place.close()
        return try result.get()
    }

    /// Opens a URL and waits until the request, even a queued one, has ended. Cancelling the task cancels the request.
    private func end(of outgoing: OutgoingURL) async throws(CallFailure) -> OpenURLResponse {
        do throws(IPCError) {
            let response = try await open(outgoing)
            guard !response.outcome.isEnd else { return response }
            do throws(IPCError) { return try await queries.end(of: response.id) } catch {
                if Task.isCancelled { cancel(response.id.text) }
                throw error
            }
        } catch {
            throw CallFailure(.refused(error))
        }
    }
}
