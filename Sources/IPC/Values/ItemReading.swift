/// Something that holds items, such as a ``Payload`` or a ``CallReply``, and the typed views of them.
public protocol ItemReading: Sendable {
    /// The items in the order of who wrote them.
    var items: [PasteboardItem] { get }
}

extension ItemReading {
    /// The text of the first item that has one, or `nil` if none has.
    /// - Throws: `payloadInvalid` if that text is not UTF-8.
    public var string: String? {
        get throws(IPCError) { try items.firstText() }
    }

    /// The text of every item that has one.
    /// - Throws: `payloadInvalid` if one of them is not UTF-8.
    public var strings: [String] {
        get throws(IPCError) { try items.texts() }
    }

    /// The URL of the first item that has one, as it was written, or `nil` if none has.
    /// - Throws: `payloadInvalid` if that item's list of URLs holds none.
    public var url: String? {
        get throws(IPCError) { try items.firstURL() }
    }

    /// The first picture with its type, or `nil` if there is none.
    public var image: Representation? { items.lazy.compactMap(\.image).first }

    /// A value that was written as ``Pasteboard/setValue(_:forPasteboardType:)`` does, or `nil` if the item has no
    /// such type.
    /// - Parameters:
    ///   - content: what it is to be; known by itself where the result goes to a variable of that type.
    ///   - type: the content type under which it was written.
    ///   - item: the place of the item, from 0.
    /// - Throws: `payloadInvalid` if the bytes are no JSON, or not that of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json, item: Int = 0
    ) throws(IPCError) -> Content? {
        guard items.indices.contains(item) else { return nil }
        return try items[item].value(content, type: type)
    }

    /// The bytes of the first item, in the type that its writer prefers, or `nil` if there is no item.
    public var data: [UInt8]? { items.first?.representations.first?.value.content }

    /// The bytes of a representation, or `nil` if the item has no such type.
    /// - Parameters:
    ///   - type: its content type.
    ///   - item: the place of the item, from 0.
    public func data(forType type: ContentType, item: Int = 0) -> [UInt8]? {
        guard items.indices.contains(item) else { return nil }
        return items[item][type]?.value.content
    }
}
