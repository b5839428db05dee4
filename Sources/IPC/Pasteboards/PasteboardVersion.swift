internal import IPCInterface

/// What one change made of a pasteboard.
public struct PasteboardVersion: Sendable, Hashable {
    /// The version's number.
    public let changeCount: UInt64
    /// Its items, in the writer's order.
    public let items: [PasteboardItem]
    /// Who wrote it, and how far that could be trusted when it was written.
    public let source: Source
    /// When it was written, in milliseconds since 1970 UTC.
    public let millisecondsSince1970: UInt64?
    /// The size of all its values, in bytes.
    public let byteCount: UInt64
    /// Whether it was a secret.
    public let isSensitive: Bool
    /// Whether this reading consumed it.
    public let isOnce: Bool
    /// When it ends, in milliseconds since 1970 UTC; `nil` where it stays.
    public let endsMillisecondsSince1970: UInt64?

    init(changeCount: UInt64, items: [PasteboardItem], _ facts: VersionFacts) {
        self.changeCount = changeCount
        self.items = items
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        millisecondsSince1970 = facts.time
        byteCount = facts.size ?? UInt64(items.reduce(0) { $0 + $1.byteCount })
        isSensitive = facts.sensitive ?? false
        isOnce = facts.once ?? false
        endsMillisecondsSince1970 = facts.expires
    }
}

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
        types = try [[ContentType]](texts: facts.types ?? [])
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        millisecondsSince1970 = facts.time
        isSensitive = facts.sensitive ?? false
        isOnce = facts.once ?? false
        endsMillisecondsSince1970 = facts.expires
    }
}
