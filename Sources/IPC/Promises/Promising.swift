internal import IPCInterface

/// Makes a promised value when it is read, for an item, counted from 0, and a type.
///
/// It may be called more than once for the same value, and must return within 10 s. If it throws, the reader gets
/// `noSuchItem`.
public typealias PromisedData =
    @concurrent @Sendable (_ item: Int, _ type: ContentType) async throws -> Representation.Value

extension Pasteboard {
    /// Replaces all items, and promises further types of them, which are made when they are read.
    ///
    /// The promise holds while this application is connected. Before it leaves, ``Application/close()`` makes the
    /// broker fetch all promised values. If the application ends otherwise, or the bus is lost, readers of promised
    /// values get `noSuchItem` at once. A fetched value becomes part of the version, with the same change count.
    /// Providers are kept for the newest two versions of a pasteboard with promises of this application, and released
    /// for older ones. A provider that holds the application keeps it connected.
    /// - Parameters:
    ///   - items: the items that exist at once.
    ///   - promises: for each item, the promised types beside its representations; further rows make items at the end
    ///     that only have promises.
    ///   - options: how the version is kept.
    ///   - provider: makes a value.
    /// - Returns: the change count of the new version.
    /// - Throws: as ``setItems(_:options:)``; `invalidArguments` for a type that the item already has.
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
