/// What was sent with a URL: exactly these items, whatever became of the pasteboard since. Values above 64 KiB may be
/// files.
public struct Payload: ItemReading, Hashable {
    /// The items in the sender's order; none where nothing was sent.
    public let items: [PasteboardItem]
    /// Whether anything was sent, be it an empty list of items.
    public let isPresent: Bool
    /// The pasteboard on which the items are, or were; `nil` where they came without one.
    public let pasteboard: String?
    /// The version of the pasteboard that holds them.
    public let changeCount: UInt64?

    init(items: [PasteboardItem]?, pasteboard: String?, changeCount: UInt64?) {
        self.items = items ?? []
        isPresent = items != nil
        self.pasteboard = pasteboard
        self.changeCount = changeCount
    }
}
