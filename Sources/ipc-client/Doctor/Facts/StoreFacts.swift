import Glibc

/// The folder of the store.
struct StoreFacts: Sendable {
    /// What says where it is.
    enum Source: Sendable {
        /// The broker that runs.
        case broker
        /// `SWIFT_IPC_STORE`.
        case variable
        /// `directory` in the configuration.
        case configuration
        /// `XDG_DATA_HOME` or `HOME`.
        case usual
    }

    var path = ""
    var source = Source.usual
    /// What `SWIFT_IPC_STORE` names in this shell, where the broker has another store.
    var unused: String?
    /// Of the folder; nothing else is known where it is not there.
    var directory = FileFacts(path: "")
    /// Of the files and folders in it.
    var files: [FileFacts] = []
    /// Damaged databases and values that were put away.
    var putAway: [String] = []
    var fileSystem = FileSystemFacts()
    /// The process that holds the lock; nil where nobody does.
    var holder: Int32?
}

/// A file system.
struct FileSystemFacts: Sendable, Hashable {
    var mountPoint = ""
    var isReadOnly = false
    /// Bytes that this user may still write.
    var free: UInt64 = 0
    /// Bytes in all.
    var size: UInt64 = 0
}

extension StoreFacts {
    /// Looks at the folder; `path` is known.
    mutating func read() {
        directory = .read(path)
        guard directory.kind == .directory else { return }
        let names = FilePlace.names(in: path)
        files = names.map { .read("\(path)/\($0)") }
        // IPCStore's `Quarantine` gives them their names.
        putAway = names.filter { $0.hasPrefix("store.sqlite.damaged-") }
        fileSystem = .read(path) ?? FileSystemFacts()
        holder = FileLock.holder(of: "\(path)/lock")
    }
}

extension FileSystemFacts {
    /// The file system of a path that is there. The corresponding C function is `statvfs`.
    static func read(_ path: String) -> FileSystemFacts? {
        var status = statvfs()
        guard let real = FilePlace.resolved(path), statvfs(real, &status) == 0 else { return nil }
        var facts = FileSystemFacts()
        facts.isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
        facts.free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        facts.size = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        facts.mountPoint = mountPoint(of: real, in: FilePlace.text(of: "/proc/self/mountinfo") ?? "") ?? ""
        return facts
    }

    /// The longest mount point that holds a path (proc_pid_mountinfo(5)).
    static func mountPoint(of path: String, in table: String) -> String? {
        var best: String?
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6 else { continue }
            let point = unescaped(fields[4])
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            if point.utf8.count > best?.utf8.count ?? 0 { best = point }
        }
        return best
    }

    /// Blanks, tabs, line ends and backslashes stand there as octal numbers.
    private static func unescaped(_ field: Substring) -> String {
        String(field).replacing("\\040", with: " ").replacing("\\011", with: "\t").replacing("\\012", with: "\n")
            .replacing("\\134", with: "\\")
    }
}

/// A lock on a whole file (`flock`), looked at without taking it: a starting broker must find it free.
enum FileLock {
    /// The process that holds it.
    static func holder(of path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0, let table = FilePlace.text(of: "/proc/locks") else { return nil }
        return holder(device: status.st_dev, file: UInt64(status.st_ino), in: table)
    }

    /// The same in the text of `/proc/locks` (proc_locks(5)): `1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`.
    static func holder(device: UInt, file: UInt64, in table: String) -> Int32? {
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE" else { continue }
            let parts = fields[5].split(separator: ":")
            guard parts.count == 3, UInt64(parts[2]) == file, UInt(parts[0], radix: 16) == major(device),
                UInt(parts[1], radix: 16) == minor(device)
            else { continue }
            // Of a process in another namespace the number is not known.
            return Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    /// makedev(3)
    private static func major(_ device: UInt) -> UInt { (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF }
    private static func minor(_ device: UInt) -> UInt { device & 0xFF | (device >> 12) & ~0xFF }
}
