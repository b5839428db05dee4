import IPCDesktop
import IPCModel

struct DesktopFacts: Sendable {
    /// The entries for claimed schemes.
    var entries: [EntryFacts] = []
    /// The `mimeinfo.cache` of each folder in `entries`: the entry ids for each scheme, as the cache spells it.
    var caches: [String: [String: [String]]] = [:]
    /// The lines of `mimeapps.list` files that name entries for schemes.
    var defaults: [DefaultFacts] = []
    /// The ids of all desktop entries, such as `demo.IPCServer.desktop`.
    var ids: Set<String> = []
    /// Whether `update-desktop-database` is installed.
    var hasUpdater = true
}

/// A desktop entry (Desktop Entry Specification).
struct EntryFacts: Sendable {
    var path: String
    /// The id: the path relative to `applications`, with `/` replaced by `-`.
    var id: String
    /// The schemes of `x-scheme-handler/…` in `MimeType`, as written there.
    var schemes: [String]
    /// The `Exec` line, and the program that it names; nil if the entry has none.
    var (command, program): (String?, FileFacts?)
    /// Whether these tools have written the entry, or the entry runs them.
    var isOurs: Bool

    init(path: String, id: String, bytes: [UInt8]) {
        let file = KeyFile(bytes: bytes)
        let group = "Desktop Entry"
        (self.path, self.id) = (path, id)
        schemes = (file.list(of: "MimeType", in: group) ?? []).filter { $0.hasPrefix(SchemeType.prefix) }.map {
            String($0.dropFirst(SchemeType.prefix.count))
        }
        let exec = file.entry(of: "Exec", in: group)
        command = exec?.text
        let program = exec.flatMap { try? CommandWords($0.value).words.first }
        self.program = program.map { FileFacts(path: $0) }
        isOurs = file.value(of: DesktopEntry.mark, in: group) != nil || program.map(FilePlace.name) == Client.tool
    }

    /// The `applications` folder that contains the entry. The rest of the path is as long as the id.
    var directory: String { String(path.dropLast(id.count + 1)) }

    func opens(_ scheme: String) -> Bool { schemes.contains { URLScheme.canonical($0) == URLScheme.canonical(scheme) } }
}

/// A line of `mimeapps.list` that names desktop entries for a scheme (Association between MIME types and applications).
struct DefaultFacts: Sendable {
    var path: String
    var entry: KeyFile.Entry

    /// The scheme in lower case.
    var scheme: String { URLScheme.canonical(entry.key.dropFirst(SchemeType.prefix.count)) }
}

extension KeyFile {
    /// The entries for schemes, except removed associations.
    var schemeEntries: [Entry] {
        groups.filter { $0.name != "Removed Associations" }.flatMap(\.entries).filter {
            $0.key.hasPrefix(SchemeType.prefix)
        }
    }
}

extension Facts {
    /// Reads the desktop entries for claimed schemes, the caches beside them, and the user's defaults.
    mutating func readDesktop() {
        let installed = InstalledEntries(directories)
        desktop.ids = Set(installed.entries.keys)
        // If the bus uses a different data folder, other programs of the session find desktop entries there, too.
        if let other = bus.otherDataHome {
            let session = BaseDirectories { $0 == "XDG_DATA_HOME" ? other : nil }
            desktop.ids.formUnion(InstalledEntries(session).entries.keys)
        }
        for handler in claimedSchemes.compactMap({ try? URLScheme($0) }).flatMap({ installed.handlers(of: $0) })
        where !desktop.entries.contains(where: { $0.id == handler.id }) {
            var entry = EntryFacts(
                path: handler.path, id: handler.id, bytes: FilePlace.bytes(of: handler.path) ?? [])
            if let path = entry.program?.path {
                entry.program = .read(path.hasPrefix("/") ? path : program(named: path) ?? path)
            }
            desktop.entries.append(entry)
            let cache = KeyFile(bytes: FilePlace.bytes(of: entry.directory + "/mimeinfo.cache") ?? [])
            desktop.caches[entry.directory] = Dictionary(
                cache.schemeEntries.map { (String($0.key.dropFirst(SchemeType.prefix.count)), $0.list) },
                uniquingKeysWith: { $1 })
        }
        desktop.defaults = MimeAppsList.paths(in: directories).flatMap { path in
            KeyFile(bytes: FilePlace.bytes(of: path) ?? []).schemeEntries.map { DefaultFacts(path: path, entry: $0) }
        }
        desktop.hasUpdater = program(named: "update-desktop-database") != nil
    }
}
