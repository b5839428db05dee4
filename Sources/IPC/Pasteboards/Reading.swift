internal import IPCDBus
internal import IPCInterface

extension Pasteboard {
    /// The items of the current version; none where it is empty.
    /// - Throws: `noSuchPasteboard`; `inputOutput` if a value is damaged.
    public var items: [PasteboardItem] {
        get async throws(IPCError) { try await version().items }
    }

    /// The text of the first item that has one; `nil` where none has.
    /// - Throws: as ``items``; `payloadInvalid` if that text is not UTF-8.
    public var string: String? {
        get async throws(IPCError) { try await version().items.firstText() }
    }

    /// The text of every item that has one.
    public var strings: [String] {
        get async throws(IPCError) { try await version().items.texts() }
    }

    /// The URL of the first item that has one, as it was written; `nil` where none has.
    public var url: String? {
        get async throws(IPCError) { try await version().items.firstURL() }
    }

    /// One version with all that is known of it; its items are those of one change, never a mix.
    /// - Parameter changeCount: a version that is still kept; `nil` means the current one.
    /// - Throws: `noSuchPasteboard`, `noSuchItem` if that version is not kept, `inputOutput` if a value is damaged.
    public func version(_ changeCount: UInt64? = nil) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.changeCount = changeCount
        return try await read(options, repeatable: true)
    }

    /// Reads and clears in one step: of several that take, exactly one gets the items.
    /// - Parameter id: 16 to 64 of `[A-Za-z0-9-]`; who lost the answer gets the same items by it for 10 min.
    public func take(id: String? = nil) async throws(IPCError) -> PasteboardVersion {
        var options = GetItemsOptions()
        options.take = true
        options.id = if let id { id } else { await application.repetitionID() }
        return try await read(options, repeatable: options.id != nil)
    }

    private func read(_ options: GetItemsOptions, repeatable: Bool) async throws(IPCError) -> PasteboardVersion {
        let (count, items, facts) = try await application.link.call(
            Pasteboard1.getItems, at: path, options, repeatable: repeatable)
        if let digests = facts.digests { try Digest.check(items, against: digests) }
        return PasteboardVersion(changeCount: count, items: items, facts)
    }

    /// The bytes of one representation of the current version; of a text, its UTF-8.
    /// - Parameters:
    ///   - type: its content type.
    ///   - item: the place of the item, from 0.
    /// - Throws: `noSuchItem` where there is none; `inputOutput` if it is damaged.
    public func data(forType type: ContentType, item: UInt32 = 0) async throws(IPCError) -> [UInt8] {
        let (value, facts) = try await application.link.call(
            Pasteboard1.getData, at: path, (item, type.text, NoOptions()), repeatable: true)
        if let digest = facts.digest { try Digest.check(value, against: digest) }
        return value.content
    }
}
