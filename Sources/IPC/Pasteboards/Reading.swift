internal import IPCInterface

extension Pasteboard {
    /// The items of the current version; empty if it has none. Promised values are fetched from their writer.
    /// - Throws: `noSuchPasteboard`; `inputOutput` if a value is damaged; `noSuchItem` if the writer cannot provide a
    ///   promised value.
    public var items: [PasteboardItem] {
        get async throws(IPCError) { try await version().items }
    }

    /// Reads one version. Its items come from a single change, never from a mix of several.
    ///
    /// Values above 64 KiB are files, which take no memory. Every value is checked against its stored digest.
    /// - Parameter changeCount: a version that is still stored; `nil` means the current one.
    /// - Throws: the same errors as ``items``; `noSuchItem` if that version is not stored.
    public func version(_ changeCount: UInt64? = nil) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        return try await object.read(options)
    }

    /// Reads one version, with values of certain types only. Other values are not read or fetched from their writer.
    ///
    /// Items keep their positions: an item that has none of the types has no representations.
    /// - Throws: the same errors as ``version(_:)``.
    public func version(
        _ changeCount: UInt64? = nil, types: [ContentType]
    ) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        options.types = types.map(\.text)
        return try await object.read(options)
    }

    /// Reads and clears the pasteboard in one step. If several programs call this at once, exactly one gets the items.
    /// - Parameters:
    ///   - types: the types of the representations to read; all representations are cleared.
    ///   - count: takes the items only if the pasteboard has exactly this change count.
    ///   - id: 16 to 64 characters from `[A-Za-z0-9-]`. If the answer is lost, a call with the same id returns the same
    ///     items for 10 min.
    /// - Throws: the same errors as ``version(_:types:)``; `changeCountMismatch`. If it throws, nothing is taken.
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

    /// The bytes of one representation; text is converted to UTF-8.
    /// - Parameters:
    ///   - type: the content type of the representation.
    ///   - item: the index of the item, from 0.
    ///   - changeCount: a version that is still stored; `nil` means the current one.
    /// - Throws: `noSuchPasteboard`; `noSuchItem` if there is no such item, type or version; `inputOutput` if the value
    ///   is damaged.
    public func data(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> [UInt8] {
        let content = try await content(forType: type, item: item, changeCount: changeCount)
        return try await content.loaded()
    }

    /// One representation; a large one is a file, which takes no memory. Parameters and errors are those of
    /// ``data(forType:item:changeCount:)``.
    public func content(
        forType type: ContentType, item: UInt32 = 0, changeCount: UInt64? = nil
    ) async throws(IPCError) -> Representation.Value {
        try await object.data(type, item: item, changeCount: changeCount)
    }

    /// The stored versions, oldest first; the last one is the current one. This reads no content and consumes nothing.
    /// - Throws: `noSuchPasteboard`.
    public func versions() async throws(IPCError) -> [PasteboardVersionInfo] { try await object.versions() }
}
