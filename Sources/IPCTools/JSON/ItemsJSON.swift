package import IPC

extension JSONValue {
    /// Items: an array of items, each an array of representations with `type` and `text`, or `base64` where the bytes
    /// are not UTF-8.
    package static func items(_ items: [PasteboardItem]) -> JSONValue {
        .array(items.map { item in .array(item.representations.map(representation)) })
    }

    private static func representation(_ representation: Representation) -> JSONValue {
        let type = Member("type", .string(representation.type.text))
        if let text = representation.value.string { return .object([type, Member("text", .string(text))]) }
        return .object([type, Member("base64", .string(Base64.encode(representation.value.content)))])
    }
}
