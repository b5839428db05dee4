extension Pasteboard {
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

    /// Replaces all items by URLs, an item each.
    /// - Throws: `invalidURL` where a text is none.
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

    /// Replaces all items by one value as JSON, in which no number loses a digit: integers of 64 bits and floating point
    /// numbers are strings in it.
    /// - Throws: `invalidArguments` where the value cannot be encoded.
    @discardableResult
    public func setValue(
        _ value: some Encodable, forPasteboardType type: ContentType = .json
    ) async throws(IPCError) -> UInt64 {
        try await setItems([.value(value, type: type)])
    }
}
