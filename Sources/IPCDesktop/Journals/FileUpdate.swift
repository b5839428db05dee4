/// A file that another program makes out of others, and that is taken back with them.
package struct FileUpdate: Sendable {
    let path: String
    /// What is ours in it.
    private let own: OwnEntries
    private let keys: [String]
    private let command: [String]

    /// The cache of the desktop entries of a folder, by `update-desktop-database` where that is installed: without it
    /// GLib knows an entry by a default alone.
    /// - Parameters:
    ///   - applications: the folder.
    ///   - entry: the name of the entry that was written.
    ///   - types: what it handles.
    package static func desktopDatabase(of applications: String, entry: String, types: [String]) -> FileUpdate {
        FileUpdate(
            path: "\(applications)/\(cacheName)", own: OwnEntries(group: cacheGroup, value: entry), keys: types,
            command: ["update-desktop-database", "-q", applications])
    }

    /// Desktop Entry Specification, "Caching of MIME types".
    package static let cacheName = "mimeinfo.cache"
    package static let cacheGroup = "MIME Cache"

    /// As it stands in a journal before the program has run.
    func entry() throws(FileFailure) -> FileJournal.Entry {
        let before = try FileState.read(path)
        let lines = KeyFileLines(before?.bytes ?? [])
        var own = own
        for key in keys { own.note(key, madeLine: lines.value(of: key, in: own.group) == nil) }
        own.madeGroup = before == nil
        return FileJournal.Entry(path: path, before: before, after: before?.bytes ?? [], own: own)
    }

    /// Runs the program and waits for its end; nothing happens where it is not installed.
    func run() { _ = Program.run(command) }
}
