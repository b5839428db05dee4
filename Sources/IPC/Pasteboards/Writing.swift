internal import IPCDBus
internal import IPCInterface

extension Pasteboard {
    /// Replaces all items. A persistent pasteboard has them on the disk before this returns.
    /// - Parameters:
    ///   - items: at most 16 MiB in all.
    ///   - count: change only if the pasteboard has exactly this change count.
    ///   - id: 16 to 64 of `[A-Za-z0-9-]`; a second call with the same id and items changes nothing for 10 min.
    /// - Returns: the change count of the new version.
    /// - Throws: `noSuchPasteboard`, `changeCountMismatch`, `limitExceeded`.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem], ifChangeCount count: UInt64? = nil, id: String? = nil
    ) async throws(IPCError) -> UInt64 {
        let options = await options(count, id)
        return try await application.link.call(
            Pasteboard1.setItems, at: path, (items, options), repeatable: options.id != nil)
    }

    /// Appends items to those of the current version, in one step. Parameters and errors as in
    /// ``setItems(_:ifChangeCount:id:)``.
    @discardableResult
    public func addItems(
        _ items: [PasteboardItem], ifChangeCount count: UInt64? = nil, id: String? = nil
    ) async throws(IPCError) -> UInt64 {
        let options = await options(count, id)
        return try await application.link.call(
            Pasteboard1.addItems, at: path, (items, options), repeatable: options.id != nil)
    }

    /// Takes all items off; the pasteboard stays, with an empty version.
    @discardableResult
    public func clear(ifChangeCount count: UInt64? = nil, id: String? = nil) async throws(IPCError) -> UInt64 {
        let options = await options(count, id)
        return try await application.link.call(
            Pasteboard1.clear, at: path, options, repeatable: options.id != nil)
    }

    /// Replaces all items by one text.
    @discardableResult
    public func setString(_ text: String) async throws(IPCError) -> UInt64 { try await setItems([.string(text)]) }

    /// Replaces all items by texts, an item each.
    @discardableResult
    public func setStrings(_ texts: [String]) async throws(IPCError) -> UInt64 {
        try await setItems(texts.map(PasteboardItem.string))
    }

    /// Replaces all items by one URL.
    /// - Throws: `invalidURL` where the text is none.
    @discardableResult
    public func setURL(_ url: String) async throws(IPCError) -> UInt64 { try await setItems([.url(url)]) }

    /// Replaces all items by bytes of a type.
    @discardableResult
    public func setData(_ bytes: [UInt8], forType type: ContentType) async throws(IPCError) -> UInt64 {
        try await setItems([.data(bytes, type: type)])
    }

    /// Removes the pasteboard with all its versions; see ``Application/removePasteboard(named:)``.
    public func remove() async throws(IPCError) { try await application.removePasteboard(named: name) }

    private func options(_ count: UInt64?, _ id: String?) async -> WriteOptions {
        var options = WriteOptions()
        options.ifChangeCount = count
        options.id = if let id { id } else { await application.repetitionID() }
        options.sourceApplication = application.id
        return options
    }
}
