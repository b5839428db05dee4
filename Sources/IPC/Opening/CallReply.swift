/// The reply of a handler, at most 16 MiB in all.
public struct CallReply: ItemReading, Hashable {
    public let items: [PasteboardItem]
    /// The answer of the broker; `nil` if the reply came by a callback.
    public let response: OpenURLResponse?

    init(_ response: OpenURLResponse) { (items, self.response) = (response.reply, response) }

    init(items: [PasteboardItem]) { (self.items, response) = (items, nil) }
}

// The same as in `ItemReading`, but a reply that cannot be read is a failure of the call, so that a caller handles one
// error.
extension CallReply {
    /// The text of the first item that has one; `nil` if none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that text is not UTF-8.
    public var string: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstText() } }
    }

    /// The text of every item that has one.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if one of them is not UTF-8.
    public var strings: [String] {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.texts() } }
    }

    /// The URL of the first item that has one, as it was written; `nil` if none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that item's list of URLs is empty.
    public var url: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstURL() } }
    }

    /// A value that was written as by ``Pasteboard/setValue(_:forPasteboardType:)``; see
    /// ``ItemReading/value(_:type:item:)``.
    /// - Returns: `nil` if the reply has no such item.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if the item has nothing of that type, such as a reply in text,
    ///   or if the bytes are not the JSON of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json, item: Int = 0
    ) throws(CallFailure) -> Content? {
        guard items.indices.contains(item) else { return nil }
        return try read { () throws(IPCError) in
            guard items[item][type] != nil else {
                let types = items[item].types.map(\.text).joined(separator: ", ")
                throw IPCError(.payloadInvalid, "the reply has no \(type.text); it is there as \(types)")
            }
            return try items[item].value(content, type: type)
        }
    }

    private func read<Content>(_ body: () throws(IPCError) -> Content) throws(CallFailure) -> Content {
        do throws(IPCError) { return try body() } catch { throw CallFailure(.unreadable(error), in: response) }
    }
}
