internal import IPCInterface

/// Gives a value that was promised, when somebody reads it: for an item, counted from 0, and a type.
///
/// It may be asked more than once for the same value, and has 10 s. What it throws reaches the reader as `noSuchItem`.
public typealias PromisedData =
    @concurrent @Sendable (_ item: Int, _ type: ContentType) async throws -> Representation.Value

extension Pasteboard {
    /// Replaces all items, and promises more types of them that are made only when somebody reads them.
    ///
    /// The promise holds while this application is connected. ``Application/close()`` has everything fetched first that
    /// is still promised; where the application ends otherwise, or the bus is lost, a reader who wants what was promised
    /// gets `noSuchItem`, at once. What was fetched is part of the version like all else, and of the same change count.
    /// Providers are kept for the newest two versions of a pasteboard that this application has promised for; those of
    /// older ones are let go. A provider that holds the application keeps it connected.
    /// - Parameters:
    ///   - items: what is there at once.
    ///   - promises: for each item the types that can be had beside its representations; more rows than items make
    ///     items of promises alone, at the end.
    ///   - options: how the version is kept.
    ///   - provider: gives a value.
    /// - Returns: the change count of the new version.
    /// - Throws: as ``setItems(_:options:)``; `invalidArguments` for a type that the item has already, or twice.
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
