extension Application {
    /// A pasteboard by its name.
    /// - Parameters:
    ///   - name: 1 to 255 bytes of UTF-8 without control characters, compared byte by byte.
    ///   - create: makes it, empty, if it does not exist.
    ///   - persistent: whether a pasteboard made here survives the broker and a power cut. An existing one is not
    ///     changed.
    /// - Throws: `noSuchPasteboard`, `invalidName`, `limitExceeded`.
    public func pasteboard(
        named name: String, create: Bool = false, persistent: Bool = true
    ) async throws(IPCError) -> Pasteboard {
        let board = try Pasteboard(named: name, of: self)
        try await boards.get(board.checkedName, create: create, persistent: persistent)
        return board
    }

    /// The pasteboard that all programs share. It always exists, so this makes no call.
    public nonisolated var generalPasteboard: Pasteboard { Pasteboard(.general, of: self) }

    /// Makes a pasteboard with a unique name, which ends with this connection unless it is set persistent.
    public func uniquePasteboard() async throws(IPCError) -> Pasteboard {
        Pasteboard(try await boards.makeUnique(), of: self)
    }

    /// Removes a pasteboard with all its versions. Requests that carry its items keep them.
    /// - Throws: `noSuchPasteboard`; `accessDenied` for `general`, which can only be cleared.
    public func removePasteboard(named name: String) async throws(IPCError) {
        try await boards.remove(PasteboardName(name))
    }

    /// All pasteboards whose names start with these bytes, without content, sorted by the bytes of their names; read
    /// page by page during the iteration.
    public nonisolated func pasteboards(prefix: String = "") -> Listing<PasteboardInfo> {
        Listing { [boards] after throws(IPCError) in try await boards.page(prefix: prefix, after: after?.name) }
    }

    /// The changes of several pasteboards, which need not exist yet; no names mean all. See
    /// ``Pasteboard/changes(since:)``.
    public nonisolated func changes(of names: [String] = [], since count: UInt64? = nil) -> PasteboardChanges {
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
