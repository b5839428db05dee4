internal import IPCDBus
internal import IPCInterface

/// What is known of one version of a pasteboard that is held, without its content.
public struct PasteboardVersionInfo: Sendable, Hashable {
    /// The version's number.
    public let changeCount: UInt64
    /// Its items.
    public let itemCount: UInt32
    /// The size of all its values, in bytes.
    public let byteCount: UInt64
    /// The content types: for each item, those of its representations in order.
    public let types: [[ContentType]]
    /// Who wrote it.
    public let source: Source
    /// When it was written, in milliseconds since 1970 UTC.
    public let millisecondsSince1970: UInt64?
    /// Whether its content is a secret: in memory only, and gone after a short time.
    public let isSensitive: Bool
    /// Whether the first who reads its content consumes it.
    public let isOnce: Bool
    /// When it ends, in milliseconds since 1970 UTC; `nil` where it stays.
    public let endsMillisecondsSince1970: UInt64?

    init(_ facts: VersionFacts) throws(IPCError) {
        changeCount = facts.changeCount ?? 0
        itemCount = facts.itemCount ?? UInt32(clamping: facts.types?.count ?? 0)
        byteCount = facts.size ?? 0
        types = try (facts.types ?? []).map { (item) throws(IPCError) in
            try item.map { (text) throws(IPCError) in
                try checked { () throws(ContentType.Invalid) in try ContentType(text) }
            }
        }
        source = Source(
            application: facts.sourceApplication ?? "",
            strength: facts.sourceStrength.flatMap(SourceStrength.init(rawValue:)) ?? .unknown)
        millisecondsSince1970 = facts.time
        isSensitive = facts.sensitive ?? false
        isOnce = facts.once ?? false
        endsMillisecondsSince1970 = facts.expires
    }
}

extension Pasteboard {
    /// The versions that are held, the oldest first and the current one last. Nothing is read, so nothing is consumed.
    /// - Throws: `noSuchPasteboard`.
    public func versions() async throws(IPCError) -> [PasteboardVersionInfo] {
        let rows = try await application.link.call(
            Pasteboard1.listVersions, at: path, NoOptions(), repeatable: true)
        return try rows.map { (facts) throws(IPCError) in try PasteboardVersionInfo(facts) }
    }

    /// Replaces all items by those of a copy that was kept elsewhere, under the name of who wrote them then.
    /// - Parameters:
    ///   - source: the application id that is stated; empty states none.
    ///   - options: as of ``setItems(_:options:)``.
    package func restore(
        _ items: [PasteboardItem], source: String, options: PasteboardOptions
    ) async throws(IPCError) -> UInt64 {
        var wire = try await wireOptions(options)
        wire.sourceApplication = source.isEmpty ? nil : source
        let items = try await OutgoingItems.prepare(items, passes: application.link.passesDescriptors)
        return try await application.link.call(
            Pasteboard1.setItems, at: path, (items, wire), timeout: BrokerLink.timeout(storing: items.byteCount),
            repeatable: wire.id != nil)
    }
}

extension Application {
    /// The greatest change count that was given out, over all pasteboards; changes from here on have greater ones.
    public func changeCount() async throws(IPCError) -> UInt64 { try await waitForChange([], since: nil).cursor }

    /// Makes every later change take a greater number than this one; a lower one than was given out changes nothing.
    ///
    /// For who brings the content of another store here: whoever remembers a change count of that store is never taken
    /// for up to date.
    /// - Returns: the greatest number that counts as given out.
    @discardableResult
    public func skipChangeCounts(to count: UInt64) async throws(IPCError) -> UInt64 {
        try await link.call(Pasteboards1.skipChangeCounts, (count, NoOptions()), repeatable: true)
    }
}
