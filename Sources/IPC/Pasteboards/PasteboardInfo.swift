internal import IPCInterface

/// A row of a list of pasteboards.
public struct PasteboardInfo: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The change count of its current version.
    public let changeCount: UInt64
    /// Whether it survives the broker and a power cut.
    public let isPersistent: Bool
    /// The count of the items of its current version.
    public let itemCount: UInt32
    /// The size of all values of its current version, in bytes.
    public let byteCount: UInt64
    /// When its current version was made, in milliseconds since 1970 UTC.
    public let millisecondsSince1970: UInt64?
    /// The most earlier versions that are kept; `nil` if the broker does not report it.
    public let historyLimit: UInt32?
    /// The count of versions, including the current one; `nil` if the broker does not report it.
    public let versionCount: UInt32?
    /// Whether the current version is a secret.
    public let isSensitive: Bool
    /// Whether the first reader of the current version consumes it.
    public let isOnce: Bool
    /// When the current version expires, in milliseconds since 1970 UTC; `nil` if it does not.
    public let endsMillisecondsSince1970: UInt64?

    init(_ row: PasteboardRow) {
        name = row.name
        changeCount = row.changeCount
        isPersistent = row.facts.persistent ?? false
        itemCount = row.facts.itemCount ?? 0
        byteCount = row.facts.size ?? 0
        millisecondsSince1970 = row.facts.time
        historyLimit = row.facts.historyLimit
        versionCount = row.facts.versions
        isSensitive = row.facts.sensitive ?? false
        isOnce = row.facts.once ?? false
        endsMillisecondsSince1970 = row.facts.expires
    }
}
