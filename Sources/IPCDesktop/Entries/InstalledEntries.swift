package import IPCModel

/// All desktop entries and lists of a user's desktop: who handles a scheme there.
package struct InstalledEntries: Sendable {
    /// By desktop file id; of several with one id the first one counts, as the specification says.
    package let entries: [String: InstalledEntry]
    /// The ids, those of the most important folder first.
    private let order: [String]
    private let lists: [KeyFile]

    /// Reads them; what cannot be read is not there.
    package init(_ directories: BaseDirectories) {
        var (entries, order, hidden) = ([String: InstalledEntry](), [String](), Set<String>())
        for folder in directories.data.map({ "\($0)/\(DesktopEntry.folder)" }) {
            for file in Self.files(in: folder) {
                let id = file.map { $0 == "/" ? "-" : String($0) }.joined()
                guard entries[id] == nil, !hidden.contains(id), let state = try? FileState.read("\(folder)/\(file)")
                else { continue }
                if let entry = InstalledEntry(id: id, path: "\(folder)/\(file)", bytes: state.bytes) {
                    entries[id] = entry
                    order.append(id)
                } else {
                    hidden.insert(id)
                }
            }
        }
        (self.entries, self.order) = (entries, order)
        lists = MimeAppsList.paths(in: directories).compactMap { path in
            (try? FileState.read(path)).flatMap(\.self).map { KeyFile(bytes: $0.bytes) }
        }
    }

    /// Who handles a scheme on the desktop: the first default that is installed, else the first entry that says so.
    /// - Parameter id: an entry that is left out of account.
    package func handler(of scheme: URLScheme, but id: String? = nil) -> InstalledEntry? {
        for list in lists {
            for name in names(MimeAppsList.defaults, scheme, in: list) where name != id {
                if let entry = entries[name] { return entry }
            }
        }
        return handlers(of: scheme).first { $0.id != id }
    }

    /// All entries that say that they handle a scheme, or of which a list says so.
    package func handlers(of scheme: URLScheme) -> [InstalledEntry] {
        let removed = Set(lists.flatMap { names(MimeAppsList.removed, scheme, in: $0) })
        let added = lists.flatMap { names(MimeAppsList.added, scheme, in: $0) }
        var found: [InstalledEntry] = []
        for id in added + order where !found.contains(where: { $0.id == id }) {
            guard let entry = entries[id] else { continue }
            let isSaid = entry.types.contains { SchemeType.scheme(of: $0) == scheme } && !removed.contains(id)
            if isSaid || added.contains(id) { found.append(entry) }
        }
        return found
    }

    /// The ids that a list names for a scheme, in whatever spelling.
    private func names(_ group: String, _ scheme: URLScheme, in list: KeyFile) -> [String] {
        list.keys(in: group).filter { SchemeType.scheme(of: $0) == scheme }
            .flatMap { list.list(of: $0, in: group) ?? [] }
    }

    /// The paths of the entries below a folder, from there.
    private static func files(in folder: String, below prefix: String = "", depth: Int = 0) -> [String] {
        Folder.names(folder).sorted().flatMap { name -> [String] in
            if name.hasSuffix(".desktop") { return [prefix + name] }
            guard depth < 4, !name.contains("."), Folder.exists("\(folder)/\(name)") else { return [] }
            return files(in: "\(folder)/\(name)", below: "\(prefix)\(name)/", depth: depth + 1)
        }
    }
}

/// The lists of which program opens what; Association between MIME types and applications, "File name and location".
package enum MimeAppsList {
    package static let fileName = "mimeapps.list"
    package static let defaults = "Default Applications"
    static let added = "Added Associations"
    static let removed = "Removed Associations"

    /// The user's own list, where programs write; `nil` without a home.
    package static func path(in directories: BaseDirectories) -> String? {
        directories.configHome.map { "\($0)/\(fileName)" }
    }

    /// All lists in the order in which they count.
    package static func paths(in directories: BaseDirectories) -> [String] {
        let folders = directories.config + directories.data.map { "\($0)/\(DesktopEntry.folder)" }
        let names = directories.desktops.map { "\($0)-\(fileName)" } + [fileName]
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    }
}

/// The content types by which a desktop knows handlers of URL schemes; Shared MIME-info Database, "URI scheme handlers".
package enum SchemeType {
    package static let prefix = "x-scheme-handler/"

    /// The types of a scheme: as it is spelled, for xdg-open before 1.2, and in small letters, for all others.
    package static func names(of scheme: URLScheme) -> [String] {
        scheme.spelling == scheme.canonical
            ? [prefix + scheme.canonical] : [prefix + scheme.spelling, prefix + scheme.canonical]
    }

    /// The scheme of a type; `nil` for every other type.
    package static func scheme(of type: String) -> URLScheme? {
        guard type.lowercased().hasPrefix(prefix) else { return nil }
        return try? URLScheme(String(type.dropFirst(prefix.count)))
    }
}
