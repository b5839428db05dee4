import IPCDesktop

/// What the desktop has to do with our schemes.
struct DesktopFacts: Sendable {
    /// The entries that name one of our schemes or applications, in the order in which the desktop looks.
    var entries: [EntryFacts] = []
    /// `mimeinfo.cache` of the folders of those entries.
    var caches: [CacheFacts] = []
    /// Lines of `mimeapps.list` files about schemes.
    var associations: [AssociationFacts] = []
    /// The ids of all desktop entries that are there, such as `demo.IPCServer.desktop`.
    var ids: Set<String> = []
    /// Whether `update-desktop-database` is there.
    var hasUpdater = true
}

/// A desktop entry (Desktop Entry Specification).
struct EntryFacts: Sendable {
    var path: String
    /// Its id: the path below `applications`, with `-` for `/`.
    var id: String
    /// The schemes of `x-scheme-handler/…` in `MimeType`, as they are written.
    var schemes: [String]
    /// `Exec`; nil where there is none.
    var command: KeyFile.Entry?
    /// Its program; nil where there is no `Exec`.
    var program: FileFacts?
    /// The application id of an entry that these tools have written.
    var application: String?
    var isWritable = true

    /// nil for what is hidden, which counts as deleted.
    init?(path: String, id: String, bytes: [UInt8]) {
        let file = KeyFile(bytes: bytes)
        let group = "Desktop Entry"
        guard file.value(of: "Hidden", in: group) != "true" else { return nil }
        (self.path, self.id) = (path, id)
        application = file.value(of: DesktopEntry.mark, in: group)
        schemes = (file.list(of: "MimeType", in: group) ?? []).filter { $0.hasPrefix(AssociationFacts.prefix) }.map {
            String($0.dropFirst(AssociationFacts.prefix.count))
        }
        command = file.entry(of: "Exec", in: group)
        program = command.flatMap { try? CommandWords($0.value).words.first }.map { FileFacts(path: $0) }
    }

    var directory: String { FilePlace.directory(of: path) }

    /// Whether it is for a scheme in small letters.
    func opens(_ scheme: String) -> Bool { schemes.contains { $0.lowercased() == scheme } }

    /// Whether these tools have written it, or it runs them.
    var isOurs: Bool { application != nil || program.map { FilePlace.name(of: $0.path) == Client.tool } ?? false }

    /// Whether `Exec` has a field code for a URL or a file (Desktop Entry Specification, "The Exec key").
    var takesURL: Bool {
        var isField = false
        for character in command?.value ?? "" {
            if isField, "uUfF".contains(character) { return true }
            isField = character == "%" && !isField
        }
        return false
    }
}

/// A `mimeinfo.cache`, made by `update-desktop-database`.
struct CacheFacts: Sendable {
    /// The folder `applications` in which it lies.
    var directory: String
    /// The ids of entries by scheme, as the cache spells it.
    var entries: [String: [String]] = [:]
    var isWritable = true
}

/// A line of a `mimeapps.list` that names desktop entries for a scheme (Association between MIME types and applications).
struct AssociationFacts: Sendable {
    var path = ""
    /// From 1.
    var line = 0
    /// All of the line.
    var text = ""
    /// `x-scheme-handler/SCHEME`, as it is written.
    var type = ""
    /// The ids of desktop entries.
    var entries: [String] = []
    /// Whether its group is that of defaults, and not of removed associations.
    var isDefault = true
    var isWritable = true

    var scheme: String { String(type.dropFirst(Self.prefix.count)) }
    static let prefix = "x-scheme-handler/"
}

extension CacheFacts {
    init(directory: String, bytes: [UInt8], isWritable: Bool) {
        (self.directory, self.isWritable) = (directory, isWritable)
        for entry in KeyFile(bytes: bytes).schemeEntries {
            entries[String(entry.key.dropFirst(AssociationFacts.prefix.count))] = entry.list
        }
    }
}

extension AssociationFacts {
    /// The lines about schemes of a file that need not be there.
    fileprivate static func all(in path: String) -> [AssociationFacts] {
        guard let bytes = FilePlace.bytes(of: path) else { return [] }
        let isWritable = FileFacts.read(path).isWritable
        return KeyFile(bytes: bytes).schemeEntries.map {
            AssociationFacts(
                path: path, line: $0.line, text: $0.text, type: $0.key, entries: $0.list,
                isDefault: $0.group != "Removed Associations", isWritable: isWritable)
        }
    }
}

extension KeyFile {
    fileprivate var schemeEntries: [Entry] {
        groups.flatMap(\.entries).filter { $0.key.hasPrefix(AssociationFacts.prefix) }
    }
}

extension Facts {
    /// The schemes of all claims, in small letters.
    var claimedSchemes: [String] { Set(claims.map { $0.scheme.lowercased() }).sorted() }
}

extension DesktopFacts {
    /// Reads the desktop entries that are for claimed schemes, the caches beside them, and the user's associations.
    static func read(_ facts: Facts) -> DesktopFacts {
        var desktop = DesktopFacts()
        let schemes = Set(facts.claimedSchemes)
        // Of several with one id the first one counts, also where it is hidden.
        var seen: Set<String> = []
        for folder in facts.directories.data.map({ "\($0)/\(DesktopEntry.folder)" }) {
            let isWritable = FileFacts.read(folder).isWritable
            for (path, id) in entries(in: folder) where seen.insert(id).inserted {
                guard let bytes = FilePlace.bytes(of: path), let entry = EntryFacts(path: path, id: id, bytes: bytes)
                else { continue }
                desktop.ids.insert(id)
                let isConcerned = entry.schemes.contains { schemes.contains($0.lowercased()) }
                if isConcerned || entry.isOurs { desktop.entries.append(looked(at: entry, isWritable, facts)) }
            }
            if let bytes = FilePlace.bytes(of: "\(folder)/mimeinfo.cache") {
                desktop.caches.append(CacheFacts(directory: folder, bytes: bytes, isWritable: isWritable))
            }
        }
        // Entries that the bus sees, and with it the session, and not this shell are there nevertheless.
        if let other = facts.bus.otherDataHome {
            desktop.ids.formUnion(entries(in: "\(other)/\(DesktopEntry.folder)").map(\.id))
        }
        desktop.associations = MimeAppsList.paths(in: facts.directories).flatMap { AssociationFacts.all(in: $0) }
        desktop.hasUpdater = facts.program(named: "update-desktop-database") != nil
        return desktop
    }

    private static func looked(at entry: EntryFacts, _ isWritable: Bool, _ facts: Facts) -> EntryFacts {
        var entry = entry
        entry.isWritable = isWritable
        if let path = entry.program?.path {
            entry.program = .read(path.hasPrefix("/") ? path : facts.program(named: path) ?? path)
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
