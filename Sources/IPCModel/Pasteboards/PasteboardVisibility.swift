/// The pasteboards that a caller can see.
package enum PasteboardVisibility: Sendable, Hashable {
    case whole
    /// The pasteboards whose name is the application id that the sandbox confirms, or starts with that id and a dot,
    /// and the pasteboards that the caller created with unique names. The id is `nil` if the broker cannot read it.
    case sandbox(String?, made: Set<PasteboardName> = [])

    package var isWhole: Bool { self == .whole }

    /// The visible names that start with `prefix`: single names, sorted, and a prefix that all other such names have
    /// (`nil` if there are no others). With these, a list is made without scanning hidden names.
    /// - Returns: `nil` if nothing is hidden.
    package func places(beginning prefix: String) -> (names: [PasteboardName], prefix: String?)? {
        guard case .sandbox(let id, let made) = self else { return nil }
        let own = id.flatMap { try? PasteboardName($0) }
        let names = made.union(own.map { [$0] } ?? []).filter { $0.text.utf8.starts(with: prefix.utf8) }.sorted()
        guard let id, !id.isEmpty else { return (names, nil) }
        let below = id + "."
        if below.utf8.starts(with: prefix.utf8) { return (names, below) }
        return (names, prefix.utf8.starts(with: below.utf8) ? prefix : nil)
    }

    /// Whether the caller can see a pasteboard with this name, if it exists. Names are compared byte by byte.
    package func allows(_ name: PasteboardName) -> Bool {
        switch self {
        case .whole: true
        case .sandbox(let id, let made): made.contains(name) || id.map(name.isNamed(after:)) ?? false
        }
    }

    /// - Throws: ``PasteboardError/notVisible(_:sandbox:)`` if the caller cannot see the name. Only the name matters,
    ///   so the error does not reveal whether the pasteboard exists.
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
