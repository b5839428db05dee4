internal import IPCDBus
internal import IPCInterface

extension Pasteboard {
    /// Replaces all items. A persistent pasteboard has them on the disk before this returns.
    ///
    /// Values above 64 KiB travel as files: bytes in memory as a sealed memory file, a file as it is. Of those at most 16
    /// can be in one version, and all other values have at most 16 MiB together.
    /// - Parameters:
    ///   - items: none empties the pasteboard.
    ///   - options: how long they stay, and on which condition they are set.
    /// - Returns: the change count of the new version.
    /// - Throws: `noSuchPasteboard`, `changeCountMismatch`, `limitExceeded`; nothing is written then.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem], options: PasteboardOptions = PasteboardOptions()
    ) async throws(IPCError) -> UInt64 {
        try await write(Pasteboard1.setItems, items, options)
    }

    /// Replaces all items if the pasteboard has exactly this change count; see ``setItems(_:options:)``.
    /// - Throws: `changeCountMismatch` if it has another one, which the sentence tells.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem], ifChangeCount count: UInt64?, id: String? = nil
    ) async throws(IPCError) -> UInt64 {
        try await setItems(items, options: PasteboardOptions(ifChangeCount: count, id: id))
    }

    /// Appends items to those of the current version, in one step. Of the options of both, the stricter hold. Parameters
    /// and errors as in ``setItems(_:options:)``.
    @discardableResult
    public func addItems(
        _ items: [PasteboardItem], options: PasteboardOptions = PasteboardOptions()
    ) async throws(IPCError) -> UInt64 {
        try await write(Pasteboard1.addItems, items, options)
    }

    /// Takes all items off; the pasteboard stays, with an empty version.
    @discardableResult
    public func clear(ifChangeCount count: UInt64? = nil, id: String? = nil) async throws(IPCError) -> UInt64 {
        var options = ClearOptions()
        options.ifChangeCount = count
        options.id = if let id { id } else { await application.repetitionID() }
        options.sourceApplication = application.id
        return try await application.link.call(
            Pasteboard1.clear, at: path, options, repeatable: options.id != nil)
    }

    /// Removes the pasteboard with all its versions; see ``Application/removePasteboard(named:)``.
    public func remove() async throws(IPCError) { try await application.removePasteboard(named: name) }

    private func write(
        _ method: Method<([PasteboardItem], WriteOptions), UInt64>, _ items: [PasteboardItem],
        _ options: PasteboardOptions
    ) async throws(IPCError) -> UInt64 {
        var wire = try await wireOptions(options)
        let items = try await OutgoingItems.prepare(items, passes: application.link.passesDescriptors)
        wire.digests = OutgoingItems.digests(of: items)
        do {
            return try await send(method, items, wire)
        } catch let error where error.code == .invalidArguments && wire.digests != nil {
            // A broker that is older than this option refuses it, and makes the digests itself.
            wire.digests = nil
            return try await send(method, items, wire)
        }
    }

    private func send(
        _ method: Method<([PasteboardItem], WriteOptions), UInt64>, _ items: [PasteboardItem], _ wire: WriteOptions
    ) async throws(IPCError) -> UInt64 {
        try await application.link.call(
            method, at: path, (items, wire), timeout: BrokerLink.timeout(storing: items.byteCount),
            repeatable: wire.id != nil)
    }

    func wireOptions(_ options: PasteboardOptions) async throws(IPCError) -> WriteOptions {
        var wire = WriteOptions()
        wire.ifChangeCount = options.ifChangeCount
        wire.timeToLive = try options.milliseconds()
        if options.isSensitive { wire.sensitive = true }
        if options.isOnce { wire.once = true }
        wire.id = if let id = options.id { id } else { await application.repetitionID() }
        wire.sourceApplication = application.id
        return wire
    }
}
