/// The reply of a handler, at most 16 MiB in all.
public struct CallReply: ItemReading, Hashable {
    public let items: [PasteboardItem]
    /// The broker's response; `nil` if the reply came through a callback.
    public let response: OpenURLResponse?

    init(_ response: OpenURLResponse) { (items, self.response) = (response.reply, response) }

    init(items: [PasteboardItem]) { (self.items, response) = (items, nil) }
}

// These replace the members of `ItemReading`. If the reply cannot be read, they throw a `CallFailure`, so that callers
// have to handle only one error type.
extension CallReply {
    /// The text of the first item that has text; `nil` if none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that text is not valid UTF-8.
    public var string: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstText() } }
    }

    /// The text of each item that has text.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if one of the texts is not valid UTF-8.
    public var strings: [String] {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.texts() } }
    }

    /// The URL of the first item that has one, exactly as written; `nil` if none has.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if that item's list of URLs is empty.
    public var url: String? {
        get throws(CallFailure) { try read { () throws(IPCError) in try items.firstURL() } }
    }

    /// Decodes a value that was written in the form of ``Pasteboard/setValue(_:forPasteboardType:)``; see
    /// ``ItemReading/value(_:type:item:)``.
    /// - Returns: `nil` if the reply has no item at this index.
    /// - Throws: ``CallFailure/Reason/unreadable(_:)`` if the item has no representation of that type, for example
    ///   because the reply is text, or if the bytes are not the JSON of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json, item: Int = 0
    ) throws(CallFailure) -> Content? {
        guard items.indices.contains(item) else { return nil }
        return try read { () throws(IPCError) in
            guard items[item][type] != nil else {
                let types = items[item].types.map(\.text).joined(separator: ", ")
                throw IPCError(.payloadInvalid, "the reply has no \(type.text); its types are \(types)")
            }
            return try items[item].value(content, type: type)
        }
    }

    private func read<Content>(_ body: () throws(IPCError) -> Content) throws(CallFailure) -> Content {
        do throws(IPCError) { return try body() } catch { throw CallFailure(.unreadable(error), in: response) }
    }
}
