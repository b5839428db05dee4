import IPCDesktop

extension Facts {
    /// Reads the desktop entries that are for claimed schemes, the caches beside them, and the user's associations.
    mutating func readDesktop() {
        let schemes = Set(claimedSchemes)
        // Of several with one id the first one counts, also where it is hidden.
        var seen: Set<String> = []
        for folder in directories.data.map({ "\($0)/\(DesktopEntry.folder)" }) {
            let isWritable = FileFacts.read(folder).isWritable
            for (path, id) in Self.entries(in: folder) where seen.insert(id).inserted {
                guard let entry = EntryFacts(path: path, id: id) else { continue }
                desktop.ids.insert(id)
                let isConcerned = entry.schemes.contains { schemes.contains($0.lowercased()) }
                if isConcerned || entry.isOurs { desktop.entries.append(looked(at: entry, isWritable)) }
            }
            if let text = FilePlace.text(of: "\(folder)/mimeinfo.cache") {
                desktop.caches.append(CacheFacts(directory: folder, text: text, isWritable: isWritable))
            }
        }
        // Entries that the bus sees, and with it the session, and not this shell are there nevertheless.
        if let other = bus.otherDataHome {
            desktop.ids.formUnion(Self.entries(in: "\(other)/\(DesktopEntry.folder)").map(\.id))
        }
        desktop.associations = MimeAppsList.paths(in: directories).flatMap { AssociationFacts.all(in: $0) }
        desktop.hasUpdater = program(named: "update-desktop-database") != nil
    }

    private func looked(at entry: EntryFacts, _ isWritable: Bool) -> EntryFacts {
        var entry = entry
        entry.isWritable = isWritable
        if let program = entry.program, !program.path.hasPrefix("/") {
            entry.program = .read(self.program(named: program.path) ?? program.path)
        }
        return entry
    }

    /// The entries of a folder and of those in it, with their ids (Desktop Entry Specification, "Desktop File ID").
    private static func entries(in folder: String) -> [(path: String, id: String)] {
        FilePlace.names(in: folder).flatMap { name -> [(path: String, id: String)] in
            let path = "\(folder)/\(name)"
            if name.hasSuffix(".desktop") { return [(path, name)] }
            guard FileFacts.read(path).kind == .directory else { return [] }
            let below = FilePlace.names(in: path).filter { $0.hasSuffix(".desktop") }
            return below.map { ("\(path)/\($0)", "\(name)-\($0)") }
        }
    }
}

extension EntryFacts {
    private static let group = "Desktop Entry"

    /// Takes an entry apart; nil for what is hidden, which counts as deleted, or cannot be read.
    init?(path: String, id: String) {
        guard let text = FilePlace.text(of: path) else { return nil }
        self.init(path: path, id: id, text: text)
        if let program { self.program = .read(program.path) }
    }

    init?(path: String, id: String, text: String) {
        let lines = KeyLine.all(in: text)
        guard lines.first("Hidden", in: Self.group)?.value != "true" else { return nil }
        (self.path, self.id) = (path, id)
        application = lines.first(DesktopEntry.mark, in: Self.group)?.value
        if let line = lines.first("MimeType", in: Self.group) {
            (types, typesLine) = (line.list, line.text)
            schemes = types.filter { $0.hasPrefix(AssociationFacts.prefix) }.map {
                String($0.dropFirst(AssociationFacts.prefix.count))
            }
        }
        if let line = lines.first("Exec", in: Self.group) {
            (command, commandLine) = (line.value, line.text)
            program = (try? CommandWords(line.value).words.first).map { FileFacts(path: $0) }
        }
    }
}

extension CacheFacts {
    init(directory: String, text: String, isWritable: Bool) {
        (self.directory, self.isWritable) = (directory, isWritable)
        for line in KeyLine.all(in: text) where line.key.hasPrefix(AssociationFacts.prefix) {
            entries[String(line.key.dropFirst(AssociationFacts.prefix.count))] = line.list
        }
    }
}

extension AssociationFacts {
    /// The lines about schemes of a file that need not be there.
    static func all(in path: String) -> [AssociationFacts] {
        guard let text = FilePlace.text(of: path) else { return [] }
        let isWritable = FileFacts.read(path).isWritable
        return KeyLine.all(in: text).filter { $0.key.hasPrefix(prefix) }.map {
            AssociationFacts(
                path: path, line: $0.number, text: $0.text, type: $0.key, entries: $0.list,
                isDefault: $0.group != "Removed Associations", isWritable: isWritable)
        }
    }
}
