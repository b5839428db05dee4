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
    var path = ""
    /// Its id: the path below `applications`, with `-` for `/`.
    var id = ""
    /// The schemes of `x-scheme-handler/…` in `MimeType`, as they are written.
    var schemes: [String] = []
    /// All of `MimeType`.
    var types: [String] = []
    /// The line of `MimeType`.
    var typesLine: String?
    /// `Exec` as it is written; nil where there is none.
    var command: String?
    /// The line of `Exec`.
    var commandLine: String?
    /// Its program; nil where there is no `Exec`.
    var program: FileFacts?
    /// The application id of an entry that these tools have written.
    var application: String?
    var isWritable = true

    var directory: String { FilePlace.directory(of: path) }
}

/// A `mimeinfo.cache`, made by `update-desktop-database`.
struct CacheFacts: Sendable {
    /// The folder `applications` in which it lies.
    var directory = ""
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
