internal import IPCDBus
internal import IPCInterface

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
        var options = GetPasteboardOptions()
        if create { (options.create, options.sourceApplication) = (true, id) }
        if !persistent { options.persistent = false }
        _ = try await link.call(Pasteboards1.getPasteboard, (name, options), repeatable: true)
        return board
    }

    /// The pasteboard that everybody shares. It always exists, so nobody is asked.
    public nonisolated var generalPasteboard: Pasteboard { Pasteboard(.general, of: self) }

    /// Makes a pasteboard with a name that nobody else has. It ends with this connection unless it is set persistent.
    ///
    /// A second try after a lost connection may leave a first one behind, which ends with the lost connection.
    public func uniquePasteboard() async throws(IPCError) -> Pasteboard {
        var options = UniquePasteboardOptions()
        options.sourceApplication = id
        let (name, _) = try await link.call(Pasteboards1.createUniquePasteboard, options, repeatable: true)
        return try Pasteboard(named: name, of: self)
    }

    /// Removes a pasteboard with all its versions. Requests that carry its items keep them.
    /// - Throws: `noSuchPasteboard`; `accessDenied` for `general`, which can only be cleared.
    public func removePasteboard(named name: String) async throws(IPCError) {
        try check(pasteboards: [name])
        try await link.call(Pasteboards1.removePasteboard, (name, NoOptions()), repeatable: false)
    }

    /// What there is to know of all pasteboards, without content, sorted by the bytes of their names; read page by page
    /// while it is iterated.
    /// - Parameter prefix: only names that start with these bytes.
    public nonisolated func pasteboards(prefix: String = "") -> Listing<PasteboardInfo> {
        Listing { after throws(IPCError) in try await self.page(prefix: prefix, after: after?.name) }
    }

    private func page(prefix: String, after: String?) async throws(IPCError) -> [PasteboardInfo] {
        var options = ListPasteboardsOptions()
        options.after = after
        if !prefix.isEmpty { options.prefix = prefix }
        return try await link.call(Pasteboards1.listPasteboards, options, repeatable: true).map(PasteboardInfo.init)
    }

    /// The changes of several pasteboards, or of all; see ``Pasteboard/changes(since:)``.
    /// - Parameters:
    ///   - names: pasteboards, which need not exist yet; empty means all.
    ///   - count: the change count after which changes are told; from now on if `nil`.
    public nonisolated func changes(of names: [String] = [], since count: UInt64? = nil) -> PasteboardChanges {
        PasteboardChanges(self, names: names, since: count)
    }
}
