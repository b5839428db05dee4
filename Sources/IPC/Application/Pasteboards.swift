extension Application {
    /// Returns the pasteboard with a given name.
    /// - Parameters:
    ///   - name: the name, compared byte by byte.
    ///   - create: whether to create it, empty, if it does not exist.
    ///   - persistent: whether a newly created pasteboard survives a broker restart and a power failure. An existing
    ///     one is not changed.
    /// - Throws: `noSuchPasteboard`, `limitExceeded`.
    public func pasteboard(
        named name: PasteboardName, create: Bool = false, persistent: Bool = true
    ) async throws(IPCError) -> Pasteboard {
        try await boards.get(name, create: create, persistent: persistent)
        return Pasteboard(named: name, of: self)
    }

    /// The pasteboard that all programs share. It always exists, so this makes no call.
    public nonisolated var generalPasteboard: Pasteboard { Pasteboard(named: .general, of: self) }

    /// Creates a pasteboard with a unique name. It is removed when this program disconnects, unless made persistent.
    public func uniquePasteboard() async throws(IPCError) -> Pasteboard {
        Pasteboard(named: try await boards.makeUnique(), of: self)
    }

    /// Removes a pasteboard with all its versions. Requests that carry its items keep them.
    /// - Throws: `noSuchPasteboard`; `accessDenied` for `general`, which can only be cleared.
    public func removePasteboard(named name: PasteboardName) async throws(IPCError) {
        try await boards.remove(name)
    }

    /// All pasteboards whose names start with the bytes of `prefix`, without content, sorted by the bytes of their
    /// names. They are read page by page as you iterate.
    public nonisolated func pasteboards(prefix: String = "") -> Listing<PasteboardInfo> {
        Listing { [boards] after throws(IPCError) in try await boards.page(prefix: prefix, after: after?.name.text) }
    }

    /// The changes to several pasteboards, which need not exist yet; an empty list means all pasteboards. See
    /// ``Pasteboard/changes(since:)``.
    public nonisolated func changes(of names: [PasteboardName] = [], since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(application: self, names: names, since: count)
    }

    /// The highest change count assigned so far to any pasteboard. Later changes have higher ones.
    public func changeCount() async throws(IPCError) -> UInt64 { try await boards.change(of: [], since: nil).cursor }

    /// Gives all later changes a higher change count than `count`. A number below ``changeCount()`` has no effect.
    ///
    /// Use it after an import, so that programs with change counts of the old store see its pasteboards as changed.
    /// - Returns: the new value of ``changeCount()``.
    @discardableResult
    public func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await boards.skipChangeCounts(to: count)
    }
}
