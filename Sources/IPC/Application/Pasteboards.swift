extension Application {
    /// A pasteboard by its name.
    /// - Parameters:
    ///   - name: the name, compared byte by byte.
    ///   - create: makes it, empty, if it does not exist.
    ///   - persistent: whether a pasteboard made here survives the broker and a power cut. An existing one is not
    ///     changed.
    /// - Throws: `noSuchPasteboard`, `limitExceeded`.
    public func pasteboard(
        named name: PasteboardName, create: Bool = false, persistent: Bool = true
    ) async throws(IPCError) -> Pasteboard {
        try await boards.get(name, create: create, persistent: persistent)
        return Pasteboard(named: name, of: self)
    }

    /// The pasteboard that all programs share. It always exists, so this makes no call.
    public nonisolated var generalPasteboard: Pasteboard { Pasteboard(named: .general, of: self) }

    /// Makes a pasteboard with a unique name, which ends with this connection unless it is set persistent.
    public func uniquePasteboard() async throws(IPCError) -> Pasteboard {
        Pasteboard(named: try await boards.makeUnique(), of: self)
    }

    /// Removes a pasteboard with all its versions. Requests that carry its items keep them.
    /// - Throws: `noSuchPasteboard`; `accessDenied` for `general`, which can only be cleared.
    public func removePasteboard(named name: PasteboardName) async throws(IPCError) {
        try await boards.remove(name)
    }

    /// All pasteboards whose names start with these bytes, without content, sorted by the bytes of their names; read
    /// page by page during the iteration.
    public nonisolated func pasteboards(prefix: String = "") -> Listing<PasteboardInfo> {
        Listing { [boards] after throws(IPCError) in try await boards.page(prefix: prefix, after: after?.name.text) }
    }

    /// The changes of several pasteboards, which need not exist yet; no names mean all. See
    /// ``Pasteboard/changes(since:)``.
    public nonisolated func changes(of names: [PasteboardName] = [], since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(application: self, names: names, since: count)
    }

    /// The greatest change count that was assigned, over all pasteboards; later changes have greater ones.
    public func changeCount() async throws(IPCError) -> UInt64 { try await boards.change(of: [], since: nil).cursor }

    /// Makes every later change take a greater number than this one. A number below ``changeCount()`` has no effect.
    ///
    /// After an import, programs that remember change counts of the other store then see its pasteboards as changed.
    /// - Returns: the greatest number that counts as assigned.
    @discardableResult
    public func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await boards.skipChangeCounts(to: count)
    }
}
