/// What the handler of a URL gave back.
public struct CallReply: ItemReading, Hashable {
    public let items: [PasteboardItem]
    /// The answer of the broker; `nil` where the reply came by a callback.
    public let response: OpenURLResponse?

    init(_ response: OpenURLResponse) { (items, self.response) = (response.reply, response) }

    init(items: [PasteboardItem]) { (self.items, response) = (items, nil) }
}
