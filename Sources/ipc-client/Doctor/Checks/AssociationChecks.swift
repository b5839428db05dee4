/// `mimeinfo.cache`: programs with GLib look there, and not into the entries.
struct DesktopCacheCheck: Check {
    static let name = "desktop-cache"
    static let words = ["desktop-cache-stale"]

    func findings(in facts: Facts) -> [Finding] {
        var directories: [String] = []
        for entry in facts.desktop.entries where !directories.contains(entry.directory) {
            directories.append(entry.directory)
        }
        for cache in facts.desktop.caches where !directories.contains(cache.directory) {
            directories.append(cache.directory)
        }
        return directories.compactMap { finding($0, facts) }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.entries.isEmpty ? nil : "the desktop's cache knows our entries"
    }

    private func finding(_ directory: String, _ facts: Facts) -> Finding? {
        // What is to go need not be known.
        let orphaned = Set(facts.orphanedEntries.map(\.path))
        let entries = facts.desktop.entries.filter { $0.directory == directory && !orphaned.contains($0.path) }
        let cache = facts.desktop.caches.first { $0.directory == directory } ?? CacheFacts(directory: directory)
        let unknown = entries.first { entry in
            !entry.schemes.allSatisfy { cache.entries[$0]?.contains(entry.id) == true }
        }
        let update = facts.desktop.update(directory, asRoot: !cache.isWritable)
        if let unknown {
            return .problem(
                Self.words[0], "\(directory)/mimeinfo.cache does not know \(unknown.id): links do not reach it",
                mend: update)
        }
        let claimed = Set(facts.claimedSchemes)
        let gone = cache.entries.filter { claimed.contains($0.key.lowercased()) }.values.joined().first {
            !facts.desktop.ids.contains($0)
        }
        return gone.map {
            .problem(
                Self.words[0], "\(directory)/mimeinfo.cache names \($0), and there is no such desktop entry",
                mend: update)
        }
    }
}

/// `mimeapps.list`: defaults that name desktop entries which are not there.
struct AssociationCheck: Check {
    static let name = "desktop-defaults"
    static let words = ["desktop-default-without-entry"]

    func findings(in facts: Facts) -> [Finding] {
        let claimed = Set(facts.claimedSchemes)
        // Without the session's own folders, as over ssh, entries that are there are not seen.
        let isWhole = facts.variables["XDG_DATA_DIRS"]?.isEmpty == false
        return facts.desktop.associations.filter(\.isDefault).compactMap { association in
            guard isWhole || claimed.contains(association.scheme.lowercased()) else { return nil }
            let there = association.entries.filter(facts.desktop.ids.contains)
            guard let gone = association.entries.first(where: { !facts.desktop.ids.contains($0) }) else { return nil }
            let root = !association.isWritable
            let mend =
                there.isEmpty
                ? ShellLine.remove(association.text, of: association.path, asRoot: root)
                : ShellLine.replace(
                    association.text, of: association.path,
                    with: "\(association.type)=" + there.map { $0 + ";" }.joined(), asRoot: root)
            let sentence =
                "\(association.path):\(association.line) names \(gone) for \(association.scheme), and there is no such "
                + "desktop entry"
            return claimed.contains(association.scheme.lowercased())
                ? .problem(Self.words[0], sentence, mend: mend) : .note(Self.words[0], sentence, mend: mend)
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.associations.isEmpty ? nil : "the desktop's defaults for schemes name entries that are there"
    }
}
