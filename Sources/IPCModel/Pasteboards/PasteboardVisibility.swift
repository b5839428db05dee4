/// The pasteboards that a caller sees.
package enum PasteboardVisibility: Sendable, Hashable {
    /// All pasteboards.
    case whole
    /// The pasteboards whose name is the id that the sandbox attests, or starts with that id and a dot, and those that the
    /// caller made with unique names. The id is nil if it cannot be read.
    case sandbox(String?, made: Set<PasteboardName> = [])

    package var isWhole: Bool { self == .whole }

    /// The names that a caller in a sandbox may see, sorted, and a prefix of such names, so that a list need not scan the
    /// hidden ones. `nil` if nothing is hidden.
    /// - Parameter prefix: the beginning of the wanted names.
    package func places(beginning prefix: String) -> (names: [PasteboardName], prefix: String?)? {
        guard case .sandbox(let id, let made) = self else { return nil }
        let own = id.flatMap { try? PasteboardName($0) }
        let names = made.union(own.map { [$0] } ?? []).filter { $0.text.utf8.starts(with: prefix.utf8) }.sorted()
        guard let id, !id.isEmpty else { return (names, nil) }
        let below = id + "."
        if below.utf8.starts(with: prefix.utf8) { return (names, below) }
        return (names, prefix.utf8.starts(with: below.utf8) ? prefix : nil)
    }

    /// Whether the caller sees a pasteboard of this name, if there is one. Names are compared byte by byte.
    package func allows(_ name: PasteboardName) -> Bool {
        switch self {
        case .whole: true
        case .sandbox(let id, let made): made.contains(name) || id.map(name.isNamed(after:)) ?? false
        }
    }

    /// - Throws: ``PasteboardError/notVisible(_:sandbox:)`` for a name that the caller does not see. The name alone decides,
    ///   so that the error does not reveal whether there is such a pasteboard.
    package func check(_ name: PasteboardName) throws(PasteboardError) {
        guard case .sandbox(let id, _) = self, !allows(name) else { return }
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
