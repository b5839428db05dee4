internal import IPCDBus
internal import IPCInterface

extension Application {
    /// Whether ``open(_:sending:on:options:)`` would be accepted now: the scheme has a handler that runs or can be
    /// started. Nothing is started.
    /// - Throws: `invalidURL`.
    public func canOpenURL(_ url: String) async throws(IPCError) -> Bool {
        try check(url: url)
        var options = CanOpenURLOptions()
        options.sourceApplication = id
        return try await link.call(Schemes1.canOpenURL, (url, options), repeatable: true)
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
        let scheme = try checked { () throws(URLText.Invalid) in try URLText(url) }.scheme
        // Before the first question, so that no change is missed.
        let changes = try await HandlerChanges(of: scheme, link, within: time)
        repeat {
            if try await canOpenURL(url) { return true }
            try await changes.follow(try await resolve(url).application)
        } while try await changes.next()
        return false
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
        try check(url: url)
        var wire = try options.wire()
        wire.id = wire.id ?? repetitionID()
        wire.fd = link.takesDescriptors
        if let items {
            wire.items = try await OutgoingItems.prepare(items, passes: link.passesDescriptors, prefersInline: true)
        }
        wire.pasteboard = board?.name
        wire.sourceApplication = id
        let storing = BrokerLink.time(storing: items?.byteCount ?? 0)
        return try await send(url, wire, wait: options.wait.map { $0 + storing }, storing)
    }

    /// - Parameters:
    ///   - wait: how long for the outcome and until what is sent is stored; `nil` where nobody waits for an outcome.
    ///   - storing: how long until what is sent is stored.
    private func send(
        _ url: String, _ wire: OpenURLOptions, wait: Duration?, _ storing: Duration
    ) async throws(IPCError) -> OpenURLResponse {
        let end = wait.map { ContinuousClock.now + $0 }
        // What was never sent needs no calling off.
        guard !Task.isCancelled else { throw IPCError(CallError.cancelled) }
        var mayBeDone = false
        do throws(IPCError) {
            return try OpenURLResponse(
                try await link.call(
                    URLs1.openURL, (url, wire),
                    timeout: wait.map { $0 + BrokerLink.margin } ?? BrokerLink.timeout + storing,
                    repeatable: wire.id != nil,
                    repeated: {
                        mayBeDone = true
                        return ($0.0, $0.1.again(until: end))
                    }))
        } catch {
            guard let id = wire.id else { throw error }
            if Task.isCancelled {
                link.callOff(id)
            } else if mayBeDone, [.storeUnavailable, .timedOut].contains(error.code) {
                // Nobody is left who could say more.
                guard end == nil else { return OpenURLResponse(unknownEndOf: id, error) }
                throw IPCError(error.code, "\(error.message); the request \(id) may be queued all the same")
            }
            throw error
        }
    }
}

extension BrokerLink {
    /// Calls a request off for a sender that does not wait for the answer. It has left, behind the request, when this
    /// returns; without a bus, as soon as there is one.
    func callOff(_ id: String) {
        let input = (id, NoOptions())
        let isSent =
            connection.isConnected
            && (try? connection.notify(URLs1.cancelRequest, on: broker, at: Broker1.path, input)) != nil
        guard !isSent else { return }
        // The task of the sender is cancelled, and nothing can be called in it.
        Task { _ = try? await call(URLs1.cancelRequest, input, repeatable: true) }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, from 1 to the most that the wire carries (49 days).
    var wireMilliseconds: UInt32 {
        let parts = components
        let (milliseconds, overflow) = parts.seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return parts.seconds < 0 ? 1 : .max }
        let rest = (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt32(clamping: max(1, milliseconds + rest))
    }
}
