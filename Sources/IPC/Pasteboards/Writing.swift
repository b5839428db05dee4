internal import IPCInterface

extension Pasteboard {
    /// Replaces all items. If the pasteboard is persistent, they are on disk before this returns.
    ///
    /// Values above 64 KiB are sent as files: bytes in memory as a sealed memory file, a file as it is. A version can
    /// have at most 16 of these, and at most 16 MiB in all other values together.
    /// - Parameters:
    ///   - items: the new items; an empty list empties the pasteboard.
    ///   - options: how long they are kept, and the condition for the change.
    ///   - createsPasteboard: whether to create a missing pasteboard, persistent and with these items, in one change.
    /// - Returns: the change count of the new version.
    /// - Throws: `noSuchPasteboard`, `changeCountMismatch`, `limitExceeded`. If it throws, nothing is written.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem], options: PasteboardOptions = PasteboardOptions(), createsPasteboard: Bool = false
    ) async throws(IPCError) -> UInt64 {
        var wire = try await object.options(options)
        if createsPasteboard { wire.create = true }
        return try await object.write(items, wire)
    }

    /// Replaces all items if the pasteboard has exactly this change count; see ``setItems(_:options:createsPasteboard:)``.
    /// - Throws: `changeCountMismatch`, with the current change count in its message.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem], ifChangeCount count: UInt64?, id: RequestID? = nil
    ) async throws(IPCError) -> UInt64 {
        try await setItems(items, options: PasteboardOptions(ifChangeCount: count, id: id))
    }

    /// Appends items to the current version, in one step. If the options of the current version and of this call
    /// differ, the stricter ones apply. Parameters and errors are those of ``setItems(_:options:createsPasteboard:)``.
    @discardableResult
    public func addItems(
        _ items: [PasteboardItem], options: PasteboardOptions = PasteboardOptions()
    ) async throws(IPCError) -> UInt64 {
        try await object.write(items, object.options(options), by: Pasteboard1.addItems)
    }

    /// Removes all items. The pasteboard still exists, with an empty version. Parameters and errors are those of
    /// ``setItems(_:ifChangeCount:id:)``.
    @discardableResult
    public func clear(ifChangeCount count: UInt64? = nil, id: RequestID? = nil) async throws(IPCError) -> UInt64 {
        try await object.clear(ifChangeCount: count, id: id)
    }

    /// Removes the pasteboard with all its versions; see ``Application/removePasteboard(named:)``.
    public func remove() async throws(IPCError) { try await application.removePasteboard(named: name) }

    /// Replaces all items with those of a backup, and restores their source: an application id, or empty for none.
    package func restore(
        _ items: [PasteboardItem], source: String, options: PasteboardOptions
    ) async throws(IPCError) -> UInt64 {
        var wire = try await object.options(options)
        wire.sourceApplication = source.isEmpty ? nil : source
        return try await object.write(items, wire)
    }

    /// Replaces all items with one string.
    @discardableResult
    public func setString(_ text: String) async throws(IPCError) -> UInt64 { try await setItems([.string(text)]) }

    /// Replaces all items with the given strings, one item each.
    @discardableResult
    public func setStrings(_ texts: [String]) async throws(IPCError) -> UInt64 {
        try await setItems(texts.map(PasteboardItem.string))
    }

    /// Replaces all items with one URL.
    /// - Throws: `invalidURL` if the string is not a URL.
    @discardableResult
    public func setURL(_ url: String) async throws(IPCError) -> UInt64 { try await setItems([.url(url)]) }

    /// Replaces all items with the given URLs, one item each.
    /// - Throws: `invalidURL` if a string is not a URL.
    @discardableResult
    public func setURLs(_ urls: [String]) async throws(IPCError) -> UInt64 {
        try await setItems(urls.map { (url) throws(IPCError) in try .url(url) })
    }

    /// Replaces all items with one image: its bytes and their type.
    @discardableResult
    public func setImage(_ bytes: [UInt8], type: ContentType) async throws(IPCError) -> UInt64 {
        try await setItems([.image(bytes, type: type)])
    }

    /// Replaces all items with bytes of the given type.
    @discardableResult
    public func setData(_ bytes: [UInt8], forPasteboardType type: ContentType) async throws(IPCError) -> UInt64 {
        try await setItems([.data(bytes, type: type)])
    }

    /// Replaces all items with one value as JSON, in the form of `PasteboardItem.value(_:type:)`.
    /// - Throws: `invalidArguments` if the value cannot be encoded.
    @discardableResult
    public func setValue(
        _ value: some Encodable, forPasteboardType type: ContentType = .json
    ) async throws(IPCError) -> UInt64 {
        try await setItems([.value(value, type: type)])
    }
}
