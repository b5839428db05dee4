internal import IPCInterface

/// Provides a promised value when it is read, given the index of its item, from 0, and its type.
///
/// It may be called more than once for the same value, and must return within 10 s. If it throws, the reader gets
/// `noSuchItem`.
public typealias PromisedData =
    @concurrent @Sendable (_ item: Int, _ type: ContentType) async throws -> Representation.Value

extension Pasteboard {
    /// Replaces all items, and promises additional types, whose values are provided when they are read.
    ///
    /// The promise holds as long as this application is connected. ``Application/close()`` makes the broker fetch all
    /// promised values before the application disconnects. If the application exits in another way, or the bus is lost,
    /// readers of promised values immediately get `noSuchItem`. A fetched value becomes part of the version, with the
    /// same change count. For each pasteboard, this application keeps only the providers of the newest two versions in
    /// which it promised values. A provider that holds a reference to the application keeps it connected.
    /// - Parameters:
    ///   - items: the items whose values are available now.
    ///   - promises: for each item, the types promised in addition to its representations. Rows beyond the last item
    ///     create items that consist only of promises.
    ///   - options: how long the items are kept, and the condition for the change.
    ///   - provider: provides the promised values.
    /// - Returns: the change count of the new version.
    /// - Throws: as ``setItems(_:options:createsPasteboard:)``; `invalidArguments` if an item already has the type.
    @discardableResult
    public func setItems(
        _ items: [PasteboardItem] = [], promising promises: [[ContentType]],
        options: PasteboardOptions = PasteboardOptions(), provider: @escaping PromisedData
    ) async throws(IPCError) -> UInt64 {
        try Self.check(promises, beside: items)
        var wire = try await object.options(options)
        wire.promises = promises.map { $0.map(\.text) }
        return try await application.promises.keep(promises, on: self, provider: provider) {
            [object, wire] () throws(IPCError) in try await object.write(items, wire)
        }
    }

    private static func check(_ promises: [[ContentType]], beside items: [PasteboardItem]) throws(IPCError) {
        for (place, types) in promises.enumerated() {
            var seen = Set(place < items.count ? items[place].types : [])
            for type in types where !seen.insert(type).inserted {
                throw IPCError(.invalidArguments, "item \(place) has the type \(type) twice; promise each type once")
            }
        }
    }
}
