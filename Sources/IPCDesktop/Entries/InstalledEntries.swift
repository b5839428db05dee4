package import IPCModel

/// All desktop entries and lists of defaults on a user's desktop, from which the handlers of schemes follow.
package struct InstalledEntries: Sendable {
    /// The entries by desktop file ID. Of several entries with the same ID, the first counts (as specified).
    package let entries: [String: InstalledEntry]
    /// The IDs of the entries; those in the most important folder come first.
    private let order: [String]
    private let lists: [KeyFile]

    /// Reads the entries and lists. Files that cannot be read are skipped.
    package init(_ directories: BaseDirectories) {
        var (entries, order, hidden) = ([String: InstalledEntry](), [String](), Set<String>())
        for folder in directories.data.map({ "\($0)/\(DesktopEntry.folder)" }) {
            for file in Self.files(in: folder) {
                let id = file.spelling { $0 == "/" ? "-" : nil }
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

    /// The desktop's handler of a scheme: the first default that is installed, or else the first entry for the scheme.
    /// - Parameter id: the ID of an entry to ignore.
    package func handler(of scheme: URLScheme, but id: String? = nil) -> InstalledEntry? {
        for list in lists {
            for name in names(MimeAppsList.defaults, scheme, in: list) where name != id {
                if let entry = entries[name] { return entry }
            }
        }
        return handlers(of: scheme).first { $0.id != id }
    }

    /// The entries that a `mimeapps.list` adds for a scheme, then the entries that declare the scheme themselves,
    /// unless a `mimeapps.list` removes them.
    package func handlers(of scheme: URLScheme) -> [InstalledEntry] {
        let removed = Set(lists.flatMap { names(MimeAppsList.removed, scheme, in: $0) })
        let added = lists.flatMap { names(MimeAppsList.added, scheme, in: $0) }
        var found: [InstalledEntry] = []
        for id in added + order where !found.contains(where: { $0.id == id }) {
            guard let entry = entries[id] else { continue }
            let isStated = entry.types.contains { SchemeType.scheme(of: $0) == scheme } && !removed.contains(id)
            if isStated || added.contains(id) { found.append(entry) }
        }
        return found
    }

    /// The entry IDs that a group of a `mimeapps.list` file names for a scheme, in any spelling of the scheme.
    private func names(_ group: String, _ scheme: URLScheme, in list: KeyFile) -> [String] {
        list.keys(in: group).filter { SchemeType.scheme(of: $0) == scheme }
            .flatMap { list.list(of: $0, in: group) ?? [] }
    }

    /// The paths of the entries in a folder and its subfolders, relative to the folder.
    private static func files(in folder: String, below prefix: String = "", depth: Int = 0) -> [String] {
        Folder.names(folder).sorted().flatMap { name -> [String] in
            if name.hasSuffix(".desktop") { return [prefix + name] }
            guard depth < 4, !name.contains("."), Folder.exists("\(folder)/\(name)") else { return [] }
            return files(in: "\(folder)/\(name)", below: "\(prefix)\(name)/", depth: depth + 1)
        }
    }
}

/// A desktop entry of any program, with only the information that matters for handlers.
package struct InstalledEntry: Sendable {
    /// The desktop file ID: the path in `applications`, with `-` in place of `/`.
    package let id: String
    package let path: String
    let types: [String]
    /// The application id, if this package has written the entry; otherwise `nil`.
    package let application: String?

    /// - Returns: `nil` for a hidden entry, which counts as deleted, and for a file that is not an entry.
    init?(id: String, path: String, bytes: [UInt8]) {
        let lines = KeyFile(bytes: bytes)
        let group = "Desktop Entry"
        guard lines.value(of: "Hidden", in: group) != "true",
            lines.value(of: "Exec", in: group) != nil
                || lines.value(of: "DBusActivatable", in: group) == "true"
        else { return nil }
        self.id = id
        self.path = path
        types = lines.list(of: "MimeType", in: group) ?? []
        application = lines.value(of: DesktopEntry.mark, in: group)
    }
}

/// The lists of default programs (Association between MIME types and applications, "File name and location").
package enum MimeAppsList {
    private static let fileName = "mimeapps.list"
    static let defaults = "Default Applications"
    static let added = "Added Associations"
    static let removed = "Removed Associations"

    /// The user's own list, which programs write to; `nil` if there is no home directory.
    static func path(in directories: BaseDirectories) -> String? {
        directories.configHome.map { "\($0)/\(fileName)" }
    }

    /// All lists, the most important first.
    package static func paths(in directories: BaseDirectories) -> [String] {
        let folders = directories.config + directories.data.map { "\($0)/\(DesktopEntry.folder)" }
        let names = directories.desktops.map { "\($0)-\(fileName)" } + [fileName]
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    }
}

/// The content types for URL schemes on a desktop (Shared MIME-info Database, "URI scheme handlers").
package enum SchemeType {
    package static let prefix = "x-scheme-handler/"

    /// The content types for schemes, in lower case and, for xdg-open before 1.2, also in the schemes' own spelling.
    static func names(of schemes: [URLScheme]) -> [String] {
        schemes.flatMap { scheme in
            let canonical = prefix + scheme.canonical
            return scheme.spelling == scheme.canonical ? [canonical] : [prefix + scheme.spelling, canonical]
        }
    }

    /// The scheme of a type; `nil` for a type of any other kind.
    static func scheme(of type: String) -> URLScheme? {
        guard type.lowercased().hasPrefix(prefix) else { return nil }
        return try? URLScheme(String(type.dropFirst(prefix.count)))
    }
}
