extension Application {
    /// A pasteboard by its name.
    /// - Parameters:
    ///   - name: 1 to 255 bytes of UTF-8 without control characters, compared byte by byte.
    ///   - create: make it, empty, if there is none.
    ///   - persistent: for one that is made: whether it survives broker and power cut. One that exists stays as it is.
    /// - Throws: `noSuchPasteboard`, `invalidName`, `limitExceeded`.
    public func pasteboard(
        named name: String, create: Bool = false, persistent: Bool = true
    ) async throws(IPCError) -> Pasteboard {
        let board = try Pasteboard(named: name, of: self)
        try await boards.get(board.checkedName, create: create, persistent: persistent)
        return board
    }

    /// The pasteboard that everybody shares. It always exists, so nobody is asked.
    public nonisolated var generalPasteboard: Pasteboard { Pasteboard(.general, of: self) }

    /// Makes a pasteboard with a name that nobody else has. It ends with this connection unless it is set persistent.
    ///
    /// A second try after a lost connection may leave a first one behind, which ends with the lost connection.
    public func uniquePasteboard() async throws(IPCError) -> Pasteboard {
        Pasteboard(try await boards.makeUnique(), of: self)
    }

    /// Removes a pasteboard with all its versions. Requests that carry its items keep them.
    /// - Throws: `noSuchPasteboard`; `accessDenied` for `general`, which can only be cleared.
    public func removePasteboard(named name: String) async throws(IPCError) {
        try await boards.remove(PasteboardName(checking: name))
    }

    /// What there is to know of all pasteboards, without content, sorted by the bytes of their names; read page by page
    /// while it is iterated.
    /// - Parameter prefix: only names that start with these bytes.
    public nonisolated func pasteboards(prefix: String = "") -> Listing<PasteboardInfo> {
        Listing { [boards] after throws(IPCError) in try await boards.page(prefix: prefix, after: after?.name) }
    }

    /// The changes of several pasteboards, or of all; see ``Pasteboard/changes(since:)``.
    /// - Parameters:
    ///   - names: pasteboards, which need not exist yet; empty means all.
    ///   - count: the change count after which changes are told; from now on if `nil`.
    public nonisolated func changes(of names: [String] = [], since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(self, names: names, since: count)
    }

    /// The greatest change count that was given out, over all pasteboards; changes from here on have greater ones.
    public func changeCount() async throws(IPCError) -> UInt64 { try await boards.change(of: [], since: nil).cursor }

    /// Makes every later change take a greater number than this one; a lower one than was given out changes nothing.
    ///
    /// For who brings the content of another store here: whoever remembers a change count of that store is never taken
    /// for up to date.
    /// - Returns: the greatest number that counts as given out.
    @discardableResult
    public func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await boards.skipChangeCounts(to: count)
    }
}
