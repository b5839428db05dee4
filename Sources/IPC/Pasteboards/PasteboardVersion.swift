internal import IPCInterface

/// A version of a pasteboard: the content that it had after one change.
public struct PasteboardVersion: Sendable, Hashable {
    /// The change count, which identifies the version.
    public let changeCount: UInt64
    /// The items, in the writer's order.
    public let items: [PasteboardItem]
    /// The writer, and how far its id could be trusted at the time.
    public let source: Source
    /// When the version was written; `nil` if the broker does not report it.
    public let writtenAt: Timestamp?
    /// The total size of all values in bytes.
    public let byteCount: UInt64
    /// Whether the version was a secret; see ``PasteboardOptions/isSensitive``.
    public let isSensitive: Bool
    /// Whether reading the version consumed it.
    public let isOnce: Bool
    /// When the version expires; `nil` means never.
    public let expiresAt: Timestamp?

    init(changeCount: UInt64, items: [PasteboardItem], _ facts: VersionFacts) {
        self.changeCount = changeCount
        self.items = items
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        writtenAt = facts.time.map(Timestamp.init(millisecondsSince1970:))
        byteCount = facts.size ?? UInt64(items.byteCount)
        isSensitive = facts.sensitive ?? false
        isOnce = facts.once ?? false
        expiresAt = facts.expires.map(Timestamp.init(millisecondsSince1970:))
    }
}

/// A stored version of a pasteboard, without its content.
public struct PasteboardVersionInfo: Sendable, Hashable {
    /// The change count, which identifies the version.
    public let changeCount: UInt64
    /// The number of items.
    public let itemCount: UInt32
    /// The total size of all values in bytes.
    public let byteCount: UInt64
    /// The content types: for each item, those of its representations in order.
    public let types: [[ContentType]]
    /// The writer.
    public let source: Source
    /// When the version was written; `nil` if the broker does not report it.
    public let writtenAt: Timestamp?
    /// Whether its content is a secret; see ``PasteboardOptions/isSensitive``.
    public let isSensitive: Bool
    /// Whether the first reader consumes its content.
    public let isOnce: Bool
    /// When the version expires; `nil` means never.
    public let expiresAt: Timestamp?

    init(_ facts: VersionFacts) throws(IPCError) {
        changeCount = facts.changeCount ?? 0
        itemCount = facts.itemCount ?? UInt32(clamping: facts.types?.count ?? 0)
        byteCount = facts.size ?? 0
        types = try [[ContentType]](texts: facts.types ?? [])
        source = Source(stated: facts.sourceApplication, facts.sourceStrength)
        writtenAt = facts.time.map(Timestamp.init(millisecondsSince1970:))
        isSensitive = facts.sensitive ?? false
        isOnce = facts.once ?? false
        expiresAt = facts.expires.map(Timestamp.init(millisecondsSince1970:))
    }
}

/// An entry in a list of pasteboards.
public struct PasteboardInfo: Sendable, Hashable {
    /// The name of the pasteboard.
    public let name: PasteboardName
    /// The change count of the current version.
    public let changeCount: UInt64
    /// Whether the pasteboard survives a broker restart and a power failure.
    public let isPersistent: Bool
    /// The number of items in the current version.
    public let itemCount: UInt32
    /// The total size of all values in the current version, in bytes.
    public let byteCount: UInt64
    /// When the current version was created; `nil` if the broker does not report it.
    public let changedAt: Timestamp?
    /// How many earlier versions are kept; `nil` if the broker does not report it.
    public let historyLimit: UInt32?
    /// The number of versions, including the current one; `nil` if the broker does not report it.
    public let versionCount: UInt32?
    /// Whether the current version is a secret.
    public let isSensitive: Bool
    /// Whether the first reader of the current version consumes it.
    public let isOnce: Bool
    /// When the current version expires; `nil` means never.
    public let expiresAt: Timestamp?

    init(_ row: PasteboardRow) throws(IPCError) {
        name = try known(PasteboardName.self, row.name)
        changeCount = row.changeCount
        isPersistent = row.facts.persistent ?? false
        itemCount = row.facts.itemCount ?? 0
        byteCount = row.facts.size ?? 0
        changedAt = row.facts.time.map(Timestamp.init(millisecondsSince1970:))
        historyLimit = row.facts.historyLimit
        versionCount = row.facts.versions
        isSensitive = row.facts.sensitive ?? false
        isOnce = row.facts.once ?? false
        expiresAt = row.facts.expires.map(Timestamp.init(millisecondsSince1970:))
    }
}
