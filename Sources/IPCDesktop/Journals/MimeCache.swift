internal import Glibc

/// `mimeinfo.cache`, which `update-desktop-database` generates from the desktop entries in a folder. GLib uses an entry
/// that is not in the cache only if it is a default (Desktop Entry Specification, "Caching of MIME types").
package struct MimeCache: Sendable {
    /// The folder of the desktop entries and of the cache.
    let applications: String
    /// The file name of the desktop entry that was written.
    let entry: String
    let types: [String]

    private var path: String { "\(applications)/mimeinfo.cache" }

    /// The journal entry for the change to the cache that `update-desktop-database` is going to make.
    func journalEntry() throws(FileFailure) -> FileJournal.Entry {
        let before = try FileState.read(path)
        let lines = KeyFile(bytes: before?.bytes ?? [])
        var own = OwnEntries(group: "MIME Cache", value: entry)
        for type in types { own.note(type, madeLine: lines.value(of: type, in: own.group) == nil) }
        own.madeGroup = before == nil
        return FileJournal.Entry(path: path, before: before, after: before?.bytes ?? [], own: own)
    }

    /// Runs `update-desktop-database`, if it is installed.
    func update() { ExternalProgram.run(["update-desktop-database", "-q", applications]) }
}

/// Runs programs for their side effects: without input, output or a shell.
package enum ExternalProgram {
    /// Waits for the program to exit. Does nothing if it cannot be run.
    package static func run(_ words: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, mode) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] as [(CInt, CInt)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
        }
        // A program that uses this library blocks signals, but its children must not.
        var (attributes, none) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        guard posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ) == 0 else { return }
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }
}
