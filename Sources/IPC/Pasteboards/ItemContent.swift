/// Typed access to items, for payloads as well as pasteboards.
extension [PasteboardItem] {
    /// The total size of all values in bytes.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    var hasFile: Bool { contains { $0.representations.contains { $0.value.isFile } } }

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
        try first { $0[.url] != nil }.map { (item) throws(IPCError) in try item.knownURL() }
    }

    func urls() throws(IPCError) -> [String] {
        try filter { $0[.url] != nil }.map { (item) throws(IPCError) in try item.knownURL() }
    }
}

extension PasteboardItem {
    func text() throws(IPCError) -> String? {
        guard let representation = representations.first(where: \.type.isUTF8PlainText) else { return nil }
        guard let text = try representation.value.readString() else {
            let size = representation.byteCount
            throw IPCError(.payloadInvalid, "the \(size) bytes of the type \(representation.type) are not UTF-8")
        }
        return text
    }

    /// The first URL of an item that has a list of URLs. Throws an error if the list contains no URL.
    fileprivate func knownURL() throws(IPCError) -> String {
        if let url { return url }
        // If the list of URLs is a file that cannot be read, this throws the reason.
        _ = try self[.url]?.value.readString()
        throw IPCError(.payloadInvalid, "the item's representation \(ContentType.url) contains no URL")
    }
}

extension Representation.Value {
    /// The value as bytes; text becomes UTF-8. A file is read into memory; the result is empty if it cannot be read.
    public var content: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .file(let file): (try? file.bytes()) ?? []
        }
    }
}
