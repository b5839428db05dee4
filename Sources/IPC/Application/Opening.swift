internal import IPCDBus
internal import IPCInterface

extension Application {
    /// Whether ``open(_:sending:on:options:)`` would be accepted now: the scheme has a handler that runs or can be
    /// started. Nothing is started.
    /// - Throws: `invalidURL`.
    public func canOpenURL(_ url: String) async throws(IPCError) -> Bool {
        try check(url: url)
        return try await link.call(Schemes1.canOpenURL, (url, NoOptions()), repeatable: true)
    }

    /// Opens a URL in the application that handles its scheme, and waits for the outcome.
    ///
    /// Setting the pasteboard and opening the URL are one step: the receiver gets exactly these items. If the task is
    /// cancelled the wait ends, and the request goes on.
    ///
    /// - Parameters:
    ///   - url: any text that starts with a scheme and a colon, without control characters, at most 1 MiB; it arrives
    ///     byte for byte.
    ///   - items: the payload, at most 16 MiB in all unless the receiver takes descriptors; what is more travels as
    ///     files.
    ///   - board: where the items are put; without items, the pasteboard whose version is sent.
    /// - Returns: the outcome, also where the receiver declined or failed.
    /// - Throws: an error means that nothing was accepted and nobody was asked, such as `noHandler`,
    ///   `handlerUnavailable`, `invalidURL`, `changeCountMismatch`. `storeUnavailable` may also mean that the answer
    ///   was lost.
    public func open(
        _ url: String, sending items: [PasteboardItem]? = nil, on board: Pasteboard? = nil,
        options: OpenOptions = OpenOptions()
    ) async throws(IPCError) -> OpenURLResponse {
        try check(url: url)
        let wire = try await wireOptions(options, items, board)
        let result = try await link.call(
            URLs1.openURL, (url, wire),
            timeout: options.timeout + BrokerLink.margin + BrokerLink.time(storing: items?.byteCount ?? 0),
            repeatable: wire.id != nil)
        return try OpenURLResponse(result)
    }

    private func wireOptions(
        _ options: OpenOptions, _ items: [PasteboardItem]?, _ board: Pasteboard?
    ) async throws(IPCError) -> OpenURLOptions {
        var wire = OpenURLOptions()
        wire.id = options.id ?? repetitionID()
        wire.application = options.application
        if let items { wire.items = try await OutgoingItems.prepare(items, prefersInline: true) }
        wire.pasteboard = board?.name
        wire.changeCount = options.changeCount
        wire.annotation = options.annotation
        wire.timeout = options.timeout.wireMilliseconds
        wire.sourceApplication = id
        if options.setsPasteboard {
            var set = PayloadSetOptions()
            set.ifChangeCount = options.ifChangeCount
            set.create = options.create ? nil : false
            set.persistent = options.persistent
            set.timeToLive = try options.pasteboard.milliseconds()
            if options.isSensitive { set.sensitive = true }
            if options.isOnce { set.once = true }
            wire.set = set
        }
        return wire
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
