/// A value that contains items, such as a ``Payload`` or a ``CallReply``, with typed access to them.
public protocol ItemReading: Sendable {
    /// The items in the writer's order.
    var items: [PasteboardItem] { get }
}

extension ItemReading {
    /// The text of the first item that has text; `nil` if none has.
    /// - Throws: `payloadInvalid` if that text is not valid UTF-8.
    public var string: String? {
        get throws(IPCError) { try items.firstText() }
    }

    /// The text of each item that has text.
    /// - Throws: `payloadInvalid` if one of the texts is not valid UTF-8.
    public var strings: [String] {
        get throws(IPCError) { try items.texts() }
    }

    /// The URL of the first item that has one, exactly as written; `nil` if none has.
    /// - Throws: `payloadInvalid` if that item's list of URLs is empty.
    public var url: String? {
        get throws(IPCError) { try items.firstURL() }
    }

    /// The first image, with its type; `nil` if there is none.
    public var image: Representation? { items.lazy.compactMap(\.image).first }

    /// Decodes a value that was written in the form of ``Pasteboard/setValue(_:forPasteboardType:)``; `nil` if the item
    /// has no such type.
    /// - Parameters:
    ///   - content: the type of the value; it can often be inferred.
    ///   - type: the content type of the value.
    ///   - item: the index of the item, from 0.
    /// - Throws: `payloadInvalid` if the bytes are not the JSON of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, type: ContentType = .json, item: Int = 0
    ) throws(IPCError) -> Content? {
        guard items.indices.contains(item) else { return nil }
        return try items[item].value(content, type: type)
    }

    /// The bytes of the first item, in the type that its writer prefers; `nil` if there are no items.
    public var data: [UInt8]? { items.first?.representations.first?.value.content }

    /// The bytes of a representation; `nil` if the item has no such type.
    /// - Parameters:
    ///   - type: the content type of the representation.
    ///   - item: the index of the item, from 0.
    public func data(forType type: ContentType, item: Int = 0) -> [UInt8]? {
        guard items.indices.contains(item) else { return nil }
        return items[item][type]?.value.content
    }
}
