internal import IPCInterface

extension Pasteboard {
    /// The items of the current version, empty if it has none. Promised values are fetched from their writer.
    /// - Throws: `noSuchPasteboard`; `inputOutput` if a value is damaged; `noSuchItem` if the writer cannot provide a
    ///   promised value.
    public var items: [PasteboardItem] {
        get async throws(IPCError) { try await version().items }
    }

    /// Reads one version. Its items are those of one change, never a mix.
    ///
    /// Values above 64 KiB are files, which need no memory. Every value is compared with the digest that was written.
    /// - Parameter changeCount: a version that is still kept; `nil` means the current one.
    /// - Throws: as ``items``; `noSuchItem` if that version is not kept.
    public func version(_ changeCount: UInt64? = nil) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        return try await object.read(options)
    }

    /// Reads one version, with the values of certain types only. Other values are neither read nor fetched.
    ///
    /// Items keep their places: an item with none of the types has no representations.
    /// - Throws: as ``version(_:)``.
    public func version(
        _ changeCount: UInt64? = nil, types: [ContentType]
    ) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        options.types = types.map(\.text)
        return try await object.read(options)
    }

    /// Reads and clears in one step. If several programs take, exactly one gets the items.
    /// - Parameters:
    ///   - types: reads only representations of these types; all are cleared.
    ///   - count: takes only if the pasteboard has exactly this change count.
    ///   - id: 16 to 64 of `[A-Za-z0-9-]`. If the answer is lost, a call with the same id returns the same items for 10
    ///     min.
    /// - Throws: as ``version(_:types:)``; `changeCountMismatch`. If it throws, nothing is taken.
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

    /// The bytes of one representation, a text as UTF-8.
    /// - Parameters:
    ///   - type: its content type.
    ///   - item: the place of the item, from 0.
    ///   - changeCount: a version that is still kept; `nil` means the current one.
    /// - Throws: `noSuchPasteboard`; `noSuchItem` if there is no such item, type or version; `inputOutput` if the value
    ///   is damaged.
    public func data(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> [UInt8] {
        let content = try await content(forType: type, item: item, changeCount: changeCount)
        return try await content.loaded()
    }

    /// One representation, as a file if it is large, which needs no memory. Parameters and errors as in
    /// ``data(forType:item:changeCount:)``.
    public func content(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> Representation.Value {
        try await object.data(type, item: item, changeCount: changeCount)
    }

    /// The kept versions, the oldest first and the current one last. Reads no content, so it consumes nothing.
    /// - Throws: `noSuchPasteboard`.
    public func versions() async throws(IPCError) -> [PasteboardVersionInfo] { try await object.versions() }
}
