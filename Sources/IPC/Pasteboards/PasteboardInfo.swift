internal import IPCInterface

/// What a list says of a pasteboard.
public struct PasteboardInfo: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The change count of its current version.
    public let changeCount: UInt64
    /// Whether it survives broker and power cut.
    public let isPersistent: Bool
    /// The items of its current version.
    public let itemCount: UInt32
    /// The size of all values of its current version, in bytes.
    public let byteCount: UInt64
    /// When its current version was made, in milliseconds since 1970 UTC.
    public let millisecondsSince1970: UInt64?
    /// How many earlier versions are kept at most; `nil` where the broker does not say.
    public let historyLimit: UInt32?
    /// How many versions are held, the current one among them; `nil` where the broker does not say.
    public let versionCount: UInt32?
    /// Whether the current version is a secret.
    public let isSensitive: Bool
    /// Whether the first who reads the current version consumes it.
    public let isOnce: Bool
    /// When the current version ends, in milliseconds since 1970 UTC; `nil` where it stays.
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
