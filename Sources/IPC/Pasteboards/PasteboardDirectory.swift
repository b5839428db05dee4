internal import IPCDBus
internal import IPCInterface

/// The broker's pasteboards as a whole: their names and their changes.
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
        return try PasteboardName(name)
    }

    func remove(_ name: PasteboardName) async throws(IPCError) {
        try await link.call(Pasteboards1.removePasteboard, (name.text, NoOptions()), repeatable: false)
    }

    func page(prefix: String, after name: String?) async throws(IPCError) -> [PasteboardInfo] {
        var options = ListPasteboardsOptions()
        options.after = name
        if !prefix.isEmpty { options.prefix = prefix }
        return try await link.call(Pasteboards1.listPasteboards, options, repeatable: true).map(PasteboardInfo.init)
    }

    /// - Parameter cursor: `nil` only returns the current cursor.
    func change(
        of names: [String], since cursor: UInt64?
    ) async throws(IPCError) -> (cursor: UInt64, changes: [PasteboardChange]) {
        _ = try names.map(PasteboardName.init(_:))
        var options = WaitOptions()
        options.timeout = cursor == nil ? 0 : BrokerLink.question.wireMilliseconds
        let (count, changed, facts) = try await link.call(
            Pasteboards1.waitForChange, (names, cursor ?? 0, options), timeout: BrokerLink.questionTimeout,
            repeatable: true)
        guard cursor != nil else { return (count, []) }
        let isResync = facts.resync ?? false
        var rows = changed
        if isResync {
            let present = Set(changed.map { Array($0.name.utf8) })
            rows += names.filter { !present.contains(Array($0.utf8)) }
                .map { ChangedPasteboard(name: $0, changeCount: 0) }
        }
        let changes = rows.map {
            PasteboardChange(name: $0.name, changeCount: $0.changeCount, cursor: count, isResync: isResync)
        }
        return (count, changes)
    }

    func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await link.call(Pasteboards1.skipChangeCounts, (count, NoOptions()), repeatable: true)
    }
}
