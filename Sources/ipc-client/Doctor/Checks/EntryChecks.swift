/// Entries of ours for applications that claim nothing any more, such as one that was changed by hand and so stayed.
struct EntryClaimCheck: Check {
    static let name = "desktop-claims"
    static let words = ["desktop-entry-without-claim"]

    func findings(in facts: Facts) -> [Finding] {
        facts.orphanedEntries.map { entry in
            .problem(
                Self.words[0],
                "\(entry.path) brings links to \(entry.application ?? ""), which claims nothing and is not registered",
                mend: removal(of: [entry], facts))
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.entries.isEmpty ? nil : "every desktop entry of ours is for an application that claims something"
    }
}

/// Whether the desktop knows exactly one program for each of our schemes.
struct EntryUniquenessCheck: Check {
    static let name = "desktop-entries"
    static let words = ["desktop-entries-several"]

    func findings(in facts: Facts) -> [Finding] {
        facts.claimedSchemes.compactMap { scheme in
            let entries = facts.desktop.entries.filter { $0.opens(scheme) }
            guard entries.count > 1 else { return nil }
            let sentence =
                "\(entries.count) desktop entries are for \(scheme), and the desktop asks which: "
                + entries.map(\.path).joined(separator: ", ")
            let kept = entries.first { facts.handles($0, scheme) } ?? entries[0]
            let surplus = entries.filter { $0.path != kept.path && $0.isOurs }
            if !surplus.isEmpty { return .problem(Self.words[0], sentence, mend: removal(of: surplus, facts)) }
            // Where one of them is the default, nobody asks.
            guard !facts.desktop.associations.contains(where: { $0.isDefault && $0.scheme.lowercased() == scheme })
            else { return nil }
            return .note(
                Self.words[0], sentence,
                mend: ShellLine.command("gio", "mime", AssociationFacts.prefix + scheme, kept.id))
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.entries.isEmpty ? nil : "no scheme has two desktop entries"
    }

}

extension Check {
    /// Takes entries of one folder away.
    fileprivate func removal(of entries: [EntryFacts], _ facts: Facts) -> String {
        ShellLine.all(
            entries.map { ShellLine.command("rm", "--", $0.path, asRoot: !$0.isWritable) }.joined(separator: " && "),
            facts.desktop.update(entries[0].directory, asRoot: !entries[0].isWritable))
    }
}

extension Facts {
    /// Entries that `register` has written for applications of which neither broker nor journals know.
    var orphanedEntries: [EntryFacts] {
        guard broker.version != nil, broker.silence == nil else { return [] }
        let known = Set(claims.map(\.application) + registrations.map(\.application))
        return desktop.entries.filter { $0.application.map { !known.contains($0) } ?? false }
    }
}

/// Whether desktop entries list a scheme in both spellings: xdg-open of Debian 12 looks for it as it stands in the URL,
/// all others in small letters.
struct EntrySchemesCheck: Check {
    static let name = "desktop-schemes"
    static let words = ["desktop-entry-spelling"]

    func findings(in facts: Facts) -> [Finding] {
        facts.desktop.entries.filter(\.isOurs).compactMap { entry in
            let wanted = facts.claims.filter { entry.opens($0.scheme.lowercased()) }.flatMap {
                [$0.scheme, $0.scheme.lowercased()]
            }
            var missing: [String] = []
            for scheme in wanted where !entry.schemes.contains(scheme) && !missing.contains(scheme) {
                missing.append(scheme)
            }
            guard !missing.isEmpty, let line = entry.typesLine else { return nil }
            let types = entry.types + missing.map { AssociationFacts.prefix + $0 }
            return .problem(
                Self.words[0], "\(entry.path) does not list the spelling \(missing.joined(separator: ", "))",
                mend: ShellLine.all(
                    ShellLine.replace(
                        line, of: entry.path, with: "MimeType=" + types.map { $0 + ";" }.joined(),
                        asRoot: !entry.isWritable),
                    facts.desktop.update(entry.directory, asRoot: !entry.isWritable)))
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.entries.contains(where: \.isOurs) ? "desktop entries list both spellings of our schemes" : nil
    }
}

/// Whether desktop entries hand the URL over, to a program that is there.
struct EntryCommandCheck: Check {
    static let name = "desktop-commands"
    static let words = ["desktop-entry-without-url", "desktop-entry-quoted-url", "desktop-entry-program-missing"]

    func findings(in facts: Facts) -> [Finding] { facts.desktop.entries.compactMap { finding($0, facts) } }

    func assurance(in facts: Facts) -> String? {
        guard !facts.desktop.entries.isEmpty else { return nil }
        return "desktop entries hand the URL to programs that are there: "
            + facts.desktop.entries.map(\.path).joined(separator: ", ")
    }

    private func finding(_ entry: EntryFacts, _ facts: Facts) -> Finding? {
        guard let command = entry.command, let line = entry.commandLine else { return nil }
        let root = !entry.isWritable
        let replace = { (text: String) in
            ShellLine.replace(line, of: entry.path, with: "Exec=" + text, asRoot: root)
        }
        if let program = entry.program, !program.isProgram {
            let sentence = "\(entry.path) runs \(program.path), and there is no such program"
            guard entry.isOurs, ShellLine.word(facts.tool.path) == facts.tool.path else {
                return .problem(
                    Self.words[2], sentence,
                    mend: ShellLine.all(
                        ShellLine.command("rm", "--", entry.path, asRoot: root),
                        facts.desktop.update(entry.directory, asRoot: root)))
            }
            return .problem(Self.words[2], sentence, mend: replace("\(facts.tool.path) open %u"))
        }
        switch URLField(of: command) {
        case .unquoted: return nil
        case .missing:
            return .problem(
                Self.words[0], "the Exec of \(entry.path) has no %u, so its program never gets the URL",
                mend: replace(command + " %u"))
        case .quoted:
            let plain = ["\"%u\"", "'%u'", "\"%U\"", "'%U'"].reduce(command) { $0.replacing($1, with: "%u") }
            return .problem(
                Self.words[1], "the Exec of \(entry.path) has %u in quotes, where it means nothing certain",
                mend: replace(URLField(of: plain) == .unquoted ? plain : "\(entry.program?.path ?? "") %u"))
        }
    }

    /// How a command line takes the URL (Desktop Entry Specification, "The Exec key": field codes stand outside of
    /// quotes).
    enum URLField {
        case missing, quoted, unquoted

        init(of command: String) {
            var quote: Character?
            var isField = false
            self = .missing
            for character in command {
                if isField, "uUfF".contains(character) {
                    self = quote == nil ? .unquoted : .quoted
                    return
                }
                isField = character == "%" && !isField
                if character == quote {
                    quote = nil
                } else if quote == nil, "\"'".contains(character) {
                    quote = character
                }
            }
        }
    }
}

/// Names of desktop entries that other programs stumble over.
struct EntryNameCheck: Check {
    static let name = "desktop-names"
    static let words = ["desktop-entry-hyphen"]

    func findings(in facts: Facts) -> [Finding] {
        facts.desktop.entries.filter { $0.isOurs && FilePlace.name(of: $0.path).contains("-") }.map { entry in
            let name = FilePlace.name(of: entry.path)
            return .note(
                Self.words[0],
                "\(entry.path) has a hyphen in its name, which makes xdg-utils before 1.2 damage the default browser",
                mend: ShellLine.all(
                    ShellLine.command(
                        "mv", "-n", "--", entry.path, entry.directory + "/" + name.replacing("-", with: "_"),
                        asRoot: !entry.isWritable),
                    facts.desktop.update(entry.directory, asRoot: !entry.isWritable)))
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.desktop.entries.contains(where: \.isOurs) ? "no desktop entry of ours has a hyphen in its name" : nil
    }
}

extension Facts {
    /// The schemes of all claims, in small letters.
    var claimedSchemes: [String] { Set(claims.map { $0.scheme.lowercased() }).sorted() }

    /// Whether an entry is that of the application that handles a scheme.
    func handles(_ entry: EntryFacts, _ scheme: String) -> Bool {
        claims.contains {
            $0.isHandler && $0.scheme.lowercased() == scheme
                && (entry.application == $0.application || entry.id == $0.application + ".desktop")
        }
    }
}

extension EntryFacts {
    /// Whether it is for a scheme in small letters.
    func opens(_ scheme: String) -> Bool { schemes.contains { $0.lowercased() == scheme } }

    /// Whether these tools have written it, or it runs them.
    var isOurs: Bool { application != nil || program.map { FilePlace.name(of: $0.path) == Client.tool } ?? false }
}

extension DesktopFacts {
    /// Makes the cache of a folder anew.
    func update(_ directory: String, asRoot: Bool = false) -> String {
        let update = ShellLine.command("update-desktop-database", directory, asRoot: asRoot)
        return hasUpdater ? update : "sudo apt-get install -y desktop-file-utils && \(update)"
    }
}
