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
        try await object.write(items, object.options(options))
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
        try await object.write(items, object.options(options), by: Pasteboard1.addItems)
    }

    /// Takes all items off; the pasteboard stays, with an empty version.
    @discardableResult
    public func clear(ifChangeCount count: UInt64? = nil, id: String? = nil) async throws(IPCError) -> UInt64 {
        try await object.clear(ifChangeCount: count, id: id)
    }

    /// Removes the pasteboard with all its versions; see ``Application/removePasteboard(named:)``.
    public func remove() async throws(IPCError) { try await application.removePasteboard(named: name) }

    /// Replaces all items by those of a copy that was kept elsewhere, under the name of its writer.
    /// - Parameters:
    ///   - items: the items of the copy.
    ///   - source: the application id that is stated; empty states none.
    ///   - options: as of ``setItems(_:options:)``.
    package func restore(
        _ items: [PasteboardItem], source: String, options: PasteboardOptions
    ) async throws(IPCError) -> UInt64 {
        var wire = try await object.options(options)
        wire.sourceApplication = source.isEmpty ? nil : source
        return try await object.write(items, wire)
    }
}
