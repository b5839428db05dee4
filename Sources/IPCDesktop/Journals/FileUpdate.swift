internal import Glibc

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
        let lines = KeyFile(bytes: before?.bytes ?? [])
        var own = own
        for key in keys { own.note(key, madeLine: lines.value(of: key, in: own.group) == nil) }
        own.madeGroup = before == nil
        return FileJournal.Entry(path: path, before: before, after: before?.bytes ?? [], own: own)
    }

    /// Runs the program and waits for its end; nothing happens where it is not installed.
    func run() { _ = Program.run(command) }
}

/// Programs that are run for their effect: no input, no output, and no shell.
package enum Program {
    /// - Returns: its exit code; `nil` where it cannot be run or was killed.
    package static func run(_ words: [String]) -> CInt? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, mode) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] as [(CInt, CInt)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
        }
        // A program of this library blocks signals that its children are to get.
        var (attributes, none) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        guard posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ) == 0 else { return nil }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
}
