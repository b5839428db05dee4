/// What the handler of a URL gave back, at most 16 MiB in all.
public struct CallReply: ItemReading, Hashable {
    public let items: [PasteboardItem]
    /// The answer of the broker; `nil` where the reply came by a callback.
    public let response: OpenURLResponse?

    init(_ response: OpenURLResponse) { (items, self.response) = (response.reply, response) }

    init(items: [PasteboardItem]) { (self.items, response) = (items, nil) }
}

// As in every other holder of items, but what cannot be read is a failure of the call, so that one kind of error comes of it.
extension CallReply {
    /// The text of the first item that has one; `nil` where none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that text is not UTF-8.
    public var string: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstText() } }
    }

    /// The text of every item that has one.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if one of them is not UTF-8.
    public var strings: [String] {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.texts() } }
    }

    /// The URL of the first item that has one, as it was written; `nil` where none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that item's list of URLs holds none.
    public var url: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstURL() } }
    }

    /// A value that was written as ``Pasteboard/setValue(_:forPasteboardType:)`` does; see
    /// ``ItemReading/value(_:type:item:)``.
    /// - Returns: `nil` where the reply has no such item.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` where the item has nothing of that type, as a reply in text, and where
    ///   the bytes are no JSON, or not that of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json, item: Int = 0
    ) throws(CallFailure) -> Content? {
        guard items.indices.contains(item) else { return nil }
        return try read { () throws(IPCError) in
            guard items[item][type] != nil else { throw Self.missing(type, in: items[item]) }
            return try items[item].value(content, type: type)
        }
    }

    private static func missing(_ type: ContentType, in item: PasteboardItem) -> IPCError {
        let types = item.representations.map(\.type.text).joined(separator: ", ")
        return IPCError(.payloadInvalid, "the reply has no \(type.text); it is there as \(types)")
    }

    private func read<Content>(_ body: () throws(IPCError) -> Content) throws(CallFailure) -> Content {
        do throws(IPCError) { return try body() } catch { throw CallFailure(unreadable: error, in: response) }
    }
}
