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

    init(_ row: PasteboardRow) {
        name = row.name
        changeCount = row.changeCount
        isPersistent = row.facts.persistent ?? false
        itemCount = row.facts.itemCount ?? 0
        byteCount = row.facts.size ?? 0
        millisecondsSince1970 = row.facts.time
    }
}
