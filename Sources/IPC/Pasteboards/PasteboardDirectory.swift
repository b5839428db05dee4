internal import IPCDBus
internal import IPCInterface

/// All of the broker's pasteboards: their names and their changes.
@DBusActor
struct PasteboardDirectory {
    private let link: BrokerLink
    private let source: String

    init(_ link: BrokerLink, source: String) { (self.link, self.source) = (link, source) }

    func get(_ name: PasteboardName, create: Bool, persistent: Bool) async throws(IPCError) {
        var options = GetPasteboardOptions()
        if create { (options.create, options.sourceApplication) = (true, source) }
        if !persistent { options.persistent = false }
        _ = try await link.call(Pasteboards1.getPasteboard, (name.text, options), repeatable: true)
    }

    func makeUnique() async throws(IPCError) -> PasteboardName {
        var options = UniquePasteboardOptions()
        options.sourceApplication = source
        let (name, _) = try await link.call(Pasteboards1.createUniquePasteboard, options, repeatable: true)
        return try known(PasteboardName.self, name)
    }

    func remove(_ name: PasteboardName) async throws(IPCError) {
        try await link.call(Pasteboards1.removePasteboard, (name.text, NoOptions()), repeatable: false)
    }

    func page(prefix: String, after name: String?) async throws(IPCError) -> [PasteboardInfo] {
        var options = ListPasteboardsOptions()
        options.after = name
        if !prefix.isEmpty { options.prefix = prefix }
        let rows = try await link.call(Pasteboards1.listPasteboards, options, repeatable: true)
        return try rows.map { (row) throws(IPCError) in try PasteboardInfo(row) }
    }

    /// - Parameter cursor: the change count after which to wait for a change; `nil` returns the current one at once.
    func change(
        of names: [PasteboardName], since cursor: UInt64?
    ) async throws(IPCError) -> (cursor: UInt64, changes: [PasteboardChange]) {
        var options = WaitOptions()
        options.timeout = cursor == nil ? 0 : BrokerLink.question.wireMilliseconds
        let (count, changed, facts) = try await link.call(
            Pasteboards1.waitForChange, (names.map(\.text), cursor ?? 0, options), timeout: BrokerLink.questionTimeout,
            repeatable: true)
        guard cursor != nil else { return (count, []) }
        let isResync = facts.resync ?? false
        var rows = try changed.map { (row) throws(IPCError) in
            (try known(PasteboardName.self, row.name), row.changeCount)
        }
        if isResync {
            let present = Set(rows.map(\.0))
            rows += names.filter { !present.contains($0) }.map { ($0, 0) }
        }
        let changes = rows.map {
            PasteboardChange(name: $0.0, changeCount: $0.1, cursor: count, isResync: isResync)
        }
        return (count, changes)
    }

    func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await link.call(Pasteboards1.skipChangeCounts, (count, NoOptions()), repeatable: true)
    }
}
