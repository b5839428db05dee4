/// Which pasteboards a caller sees: all of them, or what a sandbox leaves.
package struct PasteboardVisibility: Sendable, Hashable {
    private enum Extent: Sendable, Hashable {
        case whole
        /// In a sandbox, whose id is not known where it cannot be looked at.
        case sandbox(id: String?, made: Set<PasteboardName>)
    }

    private let extent: Extent

    /// Every pasteboard: what a program sees that is in no sandbox.
    package static let whole = PasteboardVisibility(extent: .whole)

    /// What is left to a caller in a sandbox: pasteboards that are named by its id, or by its id, a dot and more; and
    /// those that it made with unique names.
    /// - Parameter id: the id that the sandbox attests; `nil` where it could not be learned.
    package static func sandbox(_ id: String?, made: Set<PasteboardName> = []) -> PasteboardVisibility {
        PasteboardVisibility(extent: .sandbox(id: id, made: made))
    }

    /// Whether nothing is hidden.
    package var isWhole: Bool { extent == .whole }

    /// Where to look for what a caller in a sandbox sees: names, in their order, and a beginning of names. Everything else
    /// is hidden, so that a list need not pass over it. `nil` if nothing is hidden.
    /// - Parameter prefix: the beginning of the names that are wanted.
    package func places(beginning prefix: String) -> (names: [PasteboardName], prefix: String?)? {
        guard case .sandbox(let id, let made) = extent else { return nil }
        let own = id.flatMap { try? PasteboardName($0) }
        let names = made.union(own.map { [$0] } ?? []).filter { $0.text.utf8.starts(with: prefix.utf8) }.sorted()
        guard let id, !id.isEmpty else { return (names, nil) }
        let below = id + "."
        if below.utf8.starts(with: prefix.utf8) { return (names, below) }
        return (names, prefix.utf8.starts(with: below.utf8) ? prefix : nil)
    }

    /// Whether the caller sees a pasteboard of this name, if there is one. Names are compared byte by byte.
    package func allows(_ name: PasteboardName) -> Bool {
        switch extent {
        case .whole: true
        case .sandbox(let id, let made): made.contains(name) || id.map(name.isNamed(after:)) ?? false
        }
    }

    /// - Throws: ``PasteboardError/notVisible(_:sandbox:)`` for a name that the caller does not see. That says nothing
    ///   about whether there is such a pasteboard: the name alone decides.
    package func check(_ name: PasteboardName) throws(PasteboardError) {
        guard case .sandbox(let id, _) = extent, !allows(name) else { return }
        throw .notVisible(name, sandbox: id)
    }
}

extension PasteboardName {
    fileprivate func isNamed(after id: String) -> Bool {
        guard !id.isEmpty, text.utf8.starts(with: id.utf8) else { return false }
        let rest = text.utf8.dropFirst(id.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: ".")
    }
}
