// An item set is an array of indexes, counted from 0 (in UIKit, an IndexSet); `nil` means all items.
extension Pasteboard {
    /// The content types of the given items in the current version, each in the writer's order of preference.
    /// - Throws: `noSuchItem` if there is no item at one of the indexes.
    public func types(forItemSet items: [Int]?) async throws(IPCError) -> [[ContentType]] {
        let types = try await types
        return try Self.places(items, of: types.count).map { types[$0] }
    }

    /// Whether the first item has one of these types. This reads no content.
    public func contains(pasteboardTypes types: [ContentType]) async throws(IPCError) -> Bool {
        try await self.types.first?.contains(where: types.contains) ?? false
    }

    /// Whether each of the given items has one of these types; false for an empty set. This reads no content.
    /// - Throws: `noSuchItem` if there is no item at one of the indexes.
    public func contains(
        pasteboardTypes types: [ContentType], inItemSet items: [Int]?
    ) async throws(IPCError) -> Bool {
        let found = try await self.types(forItemSet: items)
        return !found.isEmpty && found.allSatisfy { $0.contains(where: types.contains) }
    }

    /// The indexes of the items that have one of these types. This reads no content.
    public func itemSet(withPasteboardTypes types: [ContentType]) async throws(IPCError) -> [Int] {
        let found = try await self.types
        return found.indices.filter { found[$0].contains(where: types.contains) }
    }

    /// The bytes of the first item's representation of a type; `nil` if it has none.
    public func data(forPasteboardType type: ContentType) async throws(IPCError) -> [UInt8]? {
        try await items(type).first?[type]?.value.loaded()
    }

    /// The bytes of the given items' representations of a type; `nil` for each item that has none.
    /// - Throws: `noSuchItem` if there is no item at one of the indexes.
    public func data(
        forPasteboardType type: ContentType, inItemSet set: [Int]?
    ) async throws(IPCError) -> [[UInt8]?] {
        let items = try await items(type)
        var found: [[UInt8]?] = []
        for place in try Self.places(set, of: items.count) {
            found.append(try await items[place][type]?.value.loaded())
        }
        return found
    }

    /// Decodes the first item's value, as written by ``setValue(_:forPasteboardType:)``; `nil` if the item has none.
    /// - Throws: `payloadInvalid` if the bytes are not the JSON of such a value.
    public func value<Content: Decodable>(
        _ content: Content.Type = Content.self, forPasteboardType type: ContentType = .json
    ) async throws(IPCError) -> Content? {
        try await items(type).first?.value(content, type: type)
    }

    /// Decodes the values of the given items; `nil` for each item that has none. Parameters and errors are those of
    /// ``value(_:forPasteboardType:)``, and `noSuchItem` if there is no item at one of the indexes.
    public func values<Content: Decodable>(
        _ content: Content.Type = Content.self, forPasteboardType type: ContentType = .json, inItemSet set: [Int]?
    ) async throws(IPCError) -> [Content?] {
        let items = try await items(type)
        return try Self.places(set, of: items.count).map { (place) throws(IPCError) in
            try items[place].value(content, type: type)
        }
    }

    /// All items of the current version, with values of one type only. If no item has this type, no content is read.
    private func items(_ type: ContentType) async throws(IPCError) -> [PasteboardItem] {
        let types = try await types
        guard types.contains(where: { $0.contains(type) }) else { return types.map { _ in .withoutContent } }
        return try await version(types: [type]).items
    }

    private static func places(_ set: [Int]?, of count: Int) throws(IPCError) -> [Int] {
        guard let set else { return Array(0..<count) }
        if let wrong = set.first(where: { !(0..<count).contains($0) }) {
            throw IPCError(.noSuchItem, "there is no item \(wrong); the version has \(count) items, counted from 0")
        }
        return set
    }
}
