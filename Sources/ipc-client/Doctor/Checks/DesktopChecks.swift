import IPCDesktop

extension Check {
    /// Entries of ours for applications that claim nothing any more, such as one that was changed by hand and so stayed.
    static let desktopClaims = Check("desktop-claims") { facts in
        facts.orphanedEntries.map { entry in
            .problem(
                .entryWithoutClaim,
                "\(entry.path) brings links to \(entry.application ?? ""), which claims nothing and is not registered",
                mend: facts.removal(of: [entry]))
        }
    } right: { facts in
        facts.desktop.entries.isEmpty ? nil : "every desktop entry of ours is for an application that claims something"
    }

    /// Whether the desktop knows exactly one program for each of our schemes.
    static let desktopEntries = Check("desktop-entries") { facts in
        facts.claimedSchemes.compactMap { scheme in
            let entries = facts.desktop.entries.filter { $0.opens(scheme) }
            guard entries.count > 1 else { return nil }
            let sentence =
                "\(entries.count) desktop entries are for \(scheme), and the desktop asks which: "
                + entries.map(\.path).joined(separator: ", ")
            let kept = entries.first { facts.handles($0, scheme) } ?? entries[0]
            let surplus = entries.filter { $0.path != kept.path && $0.isOurs }
            if !surplus.isEmpty { return .problem(.entriesSeveral, sentence, mend: facts.removal(of: surplus)) }
            // If one of them is the default, the desktop does not ask.
            guard !facts.desktop.associations.contains(where: { $0.isDefault && $0.scheme.lowercased() == scheme })
            else { return nil }
            return .note(
                .entriesSeveral, sentence,
                mend: ShellLine.command("gio", "mime", AssociationFacts.prefix + scheme, kept.id))
        }
    } right: { facts in
        facts.desktop.entries.isEmpty ? nil : "no scheme has two desktop entries"
    }

    /// Whether desktop entries hand the URL over, to a program that is there.
    static let desktopCommands = Check("desktop-commands") { facts in
        facts.desktop.entries.compactMap { entry in
            guard let command = entry.command else { return nil }
            let root = !entry.isWritable
            let replace = { ShellLine.replace(command.text, of: entry.path, with: "Exec=" + $0, asRoot: root) }
            if let program = entry.program, !program.isProgram {
                let isOurs = entry.isOurs && ShellLine.word(facts.tool.path) == facts.tool.path
                return .problem(
                    .entryProgramMissing, "\(entry.path) runs \(program.path), and there is no such program",
                    mend: isOurs ? replace("\(facts.tool.path) open %u") : facts.removal(of: [entry]))
            }
            guard !entry.takesURL else { return nil }
            return .problem(
                .entryWithoutURL, "the Exec of \(entry.path) has no %u, so its program never gets the URL",
                mend: replace(command.value + " %u"))
        }
    } right: { facts in
        guard !facts.desktop.entries.isEmpty else { return nil }
        return "desktop entries hand the URL to programs that are there: "
            + facts.desktop.entries.map(\.path).joined(separator: ", ")
    }

    /// `mimeinfo.cache`: programs with GLib look there, and not into the entries.
    static let desktopCache = Check("desktop-cache") { facts in
        var directories: [String] = []
        for directory in facts.desktop.entries.map(\.directory) + facts.desktop.caches.map(\.directory)
        where !directories.contains(directory) { directories.append(directory) }
        return directories.compactMap(facts.staleCache)
    } right: { facts in
        facts.desktop.entries.isEmpty ? nil : "the desktop's cache knows our entries"
    }

    /// `mimeapps.list`: defaults that name desktop entries which are not there.
    static let desktopDefaults = Check("desktop-defaults") { facts in
        let claimed = Set(facts.claimedSchemes)
        // Without the session's own folders, as over ssh, entries that are there are not seen.
        let isWhole = facts.variable("XDG_DATA_DIRS") != nil
        return facts.desktop.associations.filter(\.isDefault).compactMap { association in
            let isClaimed = claimed.contains(association.scheme.lowercased())
            guard isWhole || isClaimed else { return nil }
            let there = association.entries.filter(facts.desktop.ids.contains)
            guard let gone = association.entries.first(where: { !facts.desktop.ids.contains($0) }) else { return nil }
            let root = !association.isWritable
            return .finding(
                isProblem: isClaimed, .defaultWithoutEntry,
                "\(association.path):\(association.line) names \(gone) for \(association.scheme), and there is no such "
                    + "desktop entry",
                mend: there.isEmpty
                    ? ShellLine.remove(association.text, of: association.path, asRoot: root)
                    : ShellLine.replace(
                        association.text, of: association.path,
                        with: "\(association.type)=" + there.map { $0 + ";" }.joined(), asRoot: root))
        }
    } right: { facts in
        facts.desktop.associations.isEmpty ? nil : "the desktop's defaults for schemes name entries that are there"
    }
}

extension Facts {
    /// Takes entries of one folder away.
    fileprivate func removal(of entries: [EntryFacts]) -> String {
        ShellLine.all(
            entries.map { ShellLine.command("rm", "--", $0.path, asRoot: !$0.isWritable) }.joined(separator: " && "),
            desktop.update(entries[0].directory, asRoot: !entries[0].isWritable))
    }

    /// Entries that `register` has written for applications of which neither broker nor journals know.
    fileprivate var orphanedEntries: [EntryFacts] {
        guard broker.version != nil, broker.silence == nil else { return [] }
        let known = Set(claims.map(\.application) + registrations.map(\.application))
        return desktop.entries.filter { $0.application.map { !known.contains($0) } ?? false }
    }

    /// Whether an entry is that of the application that handles a scheme.
    fileprivate func handles(_ entry: EntryFacts, _ scheme: String) -> Bool {
        claims.contains {
            $0.isHandler && $0.scheme.lowercased() == scheme
                && (entry.application == $0.application || entry.id == $0.application + ".desktop")
        }
    }

    fileprivate func staleCache(in directory: String) -> Finding? {
        // What is to go need not be known.
        let orphaned = Set(orphanedEntries.map(\.path))
        let entries = desktop.entries.filter { $0.directory == directory && !orphaned.contains($0.path) }
        let cache = desktop.caches.first { $0.directory == directory } ?? CacheFacts(directory: directory)
        let unknown = entries.first { entry in
            !entry.schemes.allSatisfy { cache.entries[$0]?.contains(entry.id) == true }
        }
        let update = desktop.update(directory, asRoot: !cache.isWritable)
        if let unknown {
            return .problem(
                .cacheStale, "\(directory)/mimeinfo.cache does not know \(unknown.id): links do not reach it",
                mend: update)
        }
        let claimed = Set(claimedSchemes)
        let gone = cache.entries.filter { claimed.contains($0.key.lowercased()) }.values.joined().first {
            !desktop.ids.contains($0)
        }
        return gone.map {
            .problem(
                .cacheStale, "\(directory)/mimeinfo.cache names \($0), and there is no such desktop entry", mend: update
            )
        }
    }
}

extension DesktopFacts {
    /// Makes the cache of a folder anew.
    fileprivate func update(_ directory: String, asRoot: Bool) -> String {
        let update = ShellLine.command("update-desktop-database", directory, asRoot: asRoot)
        return hasUpdater ? update : "sudo apt-get install -y desktop-file-utils && \(update)"
    }
}
