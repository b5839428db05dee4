internal import Glibc

/// The directory of a store. Only the user who runs the broker may enter it, and no file in it may be a symbolic link.
struct StoreDirectory {
    let path: String

    var database: String { path + "/store.sqlite" }
    var log: String { database + "-wal" }
    var lock: String { path + "/lock" }
    /// The files that SQLite opens. The store has no rollback journal, but SQLite would apply one that it finds.
    var databaseFiles: [String] { [database, log, database + "-journal"] }

    /// The longest path in bytes: SQLite allows 512 for a file (`MAX_PATHNAME`), and the store adds at most the name
    /// “/store.sqlite.salvage-journal” and a suffix.
    private static let longest = 470

    /// Creates the directory with mode 0700 if it is missing, and checks it.
    /// - Throws: `StoreError.unsafePlace` if it belongs to another user, stays open to others, is a link, or has too long a path.
    init(_ path: String) throws {
        self.path = path
        guard path.utf8.count <= Self.longest else {
            throw Self.refusal(path, "it is longer than \(Self.longest) bytes, which SQLite does not allow")
        }
        try Self.make(path)
        let descriptor = Glibc.open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(path, "it is not a directory, or it is a link") }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.refusal(path, Self.systemError) }
        guard status.st_uid == geteuid() else {
            throw Self.refusal(path, "it belongs to user \(status.st_uid), not to user \(geteuid())")
        }
        if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o700) != 0 {
            throw Self.refusal(path, "other users can enter it, and its mode cannot be changed: \(Self.systemError)")
        }
    }

    /// Opens a regular file that belongs to the directory's owner, for reading and writing. Creates it with mode 0600
    /// if it is missing; SQLite gives the log the same mode as the database.
    func openFile(_ file: String) throws -> Int32 {
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Self.refusal(file, Self.systemError) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            Glibc.close(descriptor)
            throw Self.refusal(file, "it is not a regular file owned by user \(geteuid())")
        }
        return descriptor
    }

    /// Rejects a file that exists but is not a regular file owned by this user: SQLite would follow a symbolic link, and
    /// opening a FIFO would block.
    func checkUnlessMissing(_ file: String) throws {
        var status = stat()
        guard lstat(file, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw Self.refusal(file, "it is not a regular file owned by user \(geteuid())")
        }
    }

    /// Makes the directory's entries durable. The corresponding C function is `fsync`.
    func synchronize() throws { try Self.synchronize(path) }

    private static func synchronize(_ path: String) throws {
        let descriptor = Glibc.open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(path, systemError) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal(path, systemError) }
    }

    /// Creates the directory and those above it that are missing. Flushes the directory that got the new name:
    /// otherwise, a power failure could remove the whole store (I1).
    private static func make(_ path: String) throws {
        if mkdir(path, 0o700) == 0 { return try synchronize(parent(of: path)) }
        guard errno != EEXIST else { return }
        guard errno == ENOENT, case let parent = parent(of: path), parent.count < path.count else {
            throw refusal(path, systemError)
        }
        try make(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refusal(path, systemError) }
        try synchronize(parent)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The first `count` bytes of a file, or all bytes of a shorter one; `nil` if the file cannot be opened or read.
    static func read(_ path: String, atMost count: Int) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        return read(descriptor, at: 0, atMost: count)
    }

    static func read(_ descriptor: Int32, at position: Int, atMost count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(position)) }
        return length < 0 ? nil : Array(bytes.prefix(length))
    }

    static func refusal(_ path: String, _ reason: String) -> StoreError {
        .unsafePlace(path: path, reason: reason)
    }

    static var systemError: String { String(cString: strerror(errno)) }
}
