/// Typed views of items, the same for a payload and for a pasteboard.
extension [PasteboardItem] {
    func firstText() throws(IPCError) -> String? {
        for item in self { if let text = try item.text() { return text } }
        return nil
    }

    func texts() throws(IPCError) -> [String] {
        var texts: [String] = []
        for item in self { if let text = try item.text() { texts.append(text) } }
        return texts
    }

    func firstURL() throws(IPCError) -> String? {
        guard let item = first(where: { $0[.url] != nil }) else { return nil }
        guard let url = item.url else {
            throw IPCError(.payloadInvalid, "the representation \(ContentType.url) of the item holds no URL")
        }
        return url
    }
}

extension PasteboardItem {
    /// The item's plain text; `nil` where it has none.
    func text() throws(IPCError) -> String? {
        guard let representation = representations.first(where: \.type.isUTF8PlainText) else { return nil }
        guard let text = representation.value.string else {
            let size = representation.byteCount
            throw IPCError(.payloadInvalid, "the \(size) bytes of the type \(representation.type) are not UTF-8")
        }
        return text
    }
}

extension Representation.Value {
    /// The value as bytes; of a text, its UTF-8.
    public var content: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}
