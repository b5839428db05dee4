internal import IPCInterface

extension Pasteboard {
    /// The items of the current version; none where it is empty. What was promised is fetched from its writer.
    /// - Throws: `noSuchPasteboard`; `inputOutput` if a value is damaged; `noSuchItem` if the writer cannot give what it
    ///   has promised.
    public var items: [PasteboardItem] {
        get async throws(IPCError) { try await version().items }
    }

    /// One version with all that is known of it; its items are those of one change, never a mix.
    ///
    /// Values above 64 KiB come as files, which need no memory. Every value is compared with the digest of what was
    /// written.
    /// - Parameter changeCount: a version that is still kept; `nil` means the current one.
    /// - Throws: `noSuchPasteboard`, `noSuchItem` if that version is not kept, `inputOutput` if a value is damaged.
    public func version(_ changeCount: UInt64? = nil) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        return try await object.read(options)
    }

    /// One version with the values of certain types only; nothing else is read, nor fetched from who promised it.
    ///
    /// Items keep their places: one that has none of the types is there without representations.
    public func version(
        _ changeCount: UInt64? = nil, types: [ContentType]
    ) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        options.types = types.map(\.text)
        return try await object.read(options)
    }

    /// Reads and clears in one step: of several that take, exactly one gets the items.
    /// - Parameters:
    ///   - types: only representations of these types are read; the whole is cleared.
    ///   - count: take only if the pasteboard has exactly this change count.
    ///   - id: 16 to 64 of `[A-Za-z0-9-]`; who lost the answer gets the same items by it for 10 min.
    /// - Throws: as ``version(_:types:)``, and `changeCountMismatch`; then nothing is taken.
    public func take(
        _ types: [ContentType]? = nil, ifChangeCount count: UInt64? = nil, id: String? = nil
    ) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.take = true
        options.types = types?.map(\.text)
        options.ifChangeCount = count
        options.id = id
        return try await object.read(options)
    }

    /// The bytes of one representation; of a text, its UTF-8.
    /// - Parameters:
    ///   - type: its content type.
    ///   - item: the place of the item, from 0.
    ///   - changeCount: a version that is still kept; `nil` means the current one.
    /// - Throws: `noSuchItem` where there is none; `inputOutput` if it is damaged.
    public func data(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> [UInt8] {
        let content = try await content(forType: type, item: item, changeCount: changeCount)
        return try await content.loaded()
    }

    /// One representation as it comes: a file where it is large, so that it needs no memory. Parameters and errors as in
    /// ``data(forType:item:changeCount:)``.
    public func content(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> Representation.Value {
        try await object.data(type, item: item, changeCount: changeCount)
    }

    /// The versions that are held, the oldest first and the current one last. Nothing is read, so nothing is consumed.
    /// - Throws: `noSuchPasteboard`.
    public func versions() async throws(IPCError) -> [PasteboardVersionInfo] { try await object.versions() }
}
