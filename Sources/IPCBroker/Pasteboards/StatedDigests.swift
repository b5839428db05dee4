internal import IPCModel

extension [PasteboardItem] {
    /// The same items, whose files have the digests that their writer has stated.
    /// - Parameter digests: in the shape of the items; empty where none is stated.
    /// - Throws: `invalidArguments` where the shape is another, or a text is no digest.
    func stating(_ digests: [[String]]) throws -> [PasteboardItem] {
        guard map(\.representations.count) == digests.map(\.count) else {
            throw IPCError(.invalidArguments, "“digests” has another shape than the items")
        }
        return try zip(self, digests).map { item, row in
            try PasteboardItem(read: zip(item.representations, row).map { try $0.stating($1) })
        }
    }
}

extension Representation {
    fileprivate func stating(_ text: String) throws -> Representation {
        guard !text.isEmpty else { return self }
        guard let digest = ContentDigest(wire: text) else {
            throw IPCError(.invalidArguments, "a digest is “xxh128:” and 32 hexadecimal digits, or empty")
        }
        guard case .file(let file) = value else { return self }
        return Representation(type: type, value: .file(ContentFile(sharing: file, stated: digest)))
    }
}
