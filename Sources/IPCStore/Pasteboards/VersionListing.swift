package import IPCModel

/// One version of a pasteboard in a list.
package struct VersionListing: Sendable, Hashable {
    /// What is known of it, with its types.
    package let facts: VersionFacts

    /// The types of each item in the writer's order, promised ones among them.
    package var types: [[ContentType]] { facts.types }
}

extension StoreTransaction {
    /// The versions that a pasteboard keeps, oldest first, the current one last. One that is damaged is left out.
    package func versions(of name: PasteboardName) throws -> [VersionListing] {
        try session.existingBoard(name).versions.compactMap { count in
            do {
                // The first one may show that another one is over.
                let (board, version) = try session.keptVersion(count, of: name)
                var facts = session.facts(of: version)
                facts.types = try session.types(of: version, name, board.area)
                return VersionListing(facts: facts)
            } catch PasteboardError.damaged, PasteboardError.noSuchVersion {
                return nil
            }
        }
    }
}
