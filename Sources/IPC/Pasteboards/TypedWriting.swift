extension Pasteboard {
    /// Replaces all items by one text.
    @discardableResult
    public func setString(_ text: String) async throws(IPCError) -> UInt64 { try await setItems([.string(text)]) }

    /// Replaces all items by texts, one item each.
    @discardableResult
    public func setStrings(_ texts: [String]) async throws(IPCError) -> UInt64 {
        try await setItems(texts.map(PasteboardItem.string))
    }

    /// Replaces all items by one URL.
    /// - Throws: `invalidURL` if the text is no URL.
    @discardableResult
    public func setURL(_ url: String) async throws(IPCError) -> UInt64 { try await setItems([.url(url)]) }

    /// Replaces all items by URLs, one item each.
    /// - Throws: `invalidURL` if a text is no URL.
    @discardableResult
    public func setURLs(_ urls: [String]) async throws(IPCError) -> UInt64 {
        try await setItems(urls.map { (url) throws(IPCError) in try .url(url) })
    }

    /// Replaces all items by one picture: its bytes and their type.
    @discardableResult
    public func setImage(_ bytes: [UInt8], type: ContentType) async throws(IPCError) -> UInt64 {
        try await setItems([.image(bytes, type: type)])
    }

    /// Replaces all items by bytes of a type.
    @discardableResult
    public func setData(_ bytes: [UInt8], forPasteboardType type: ContentType) async throws(IPCError) -> UInt64 {
        try await setItems([.data(bytes, type: type)])
    }

    /// Replaces all items by one value as JSON, in the form of ``PasteboardItem/value(_:type:)``.
    /// - Throws: `invalidArguments` if the value cannot be encoded.
    @discardableResult
    public func setValue(
        _ value: some Encodable, forPasteboardType type: ContentType = .json
    ) async throws(IPCError) -> UInt64 {
        try await setItems([.value(value, type: type)])
    }
}
