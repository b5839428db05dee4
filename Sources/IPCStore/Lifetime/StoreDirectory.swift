internal import Glibc

/// The directory of a store: its own user's alone, with no link where a file is expected.
struct StoreDirectory {
    let path: String

    /// The database.
    var database: String { path + "/store.sqlite" }
    /// The write-ahead log that SQLite keeps beside it.
    var log: String { database + "-wal" }
    /// The lock file.
    var lock: String { path + "/lock" }

    /// Makes the directory with mode 0700 where it is missing, and checks whose it is; an error where it is somebody
    /// else's, open to others, or a link.
    init(_ path: String) throws {
        self.path = path
        try Self.make(path)
        let descriptor = Glibc.open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(path, "it is no directory, or a link") }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.refusal(path, Self.systemError) }
        guard status.st_uid == geteuid() else {
            throw Self.refusal(path, "it belongs to user \(status.st_uid), not to user \(geteuid())")
        }
        if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o700) != 0 {
            throw Self.refusal(path, "others may enter it, and its mode cannot be changed: \(Self.systemError)")
        }
    }

    /// Opens a regular file of the directory's owner for reading and writing, made with mode 0600 where it is missing.
    ///
    /// SQLite gives the files that it makes itself the mode of the database.
    func openFile(_ file: String) throws -> Int32 {
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Self.refusal(file, Self.systemError) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            Glibc.close(descriptor)
            throw Self.refusal(file, "it is no regular file of user \(geteuid())")
        }
        return descriptor
    }

    /// Makes sure that a file is there and fit for use, without keeping it open.
    func prepareFile(_ file: String) throws {
        Glibc.close(try openFile(file))
    }

    /// Refuses a name that is taken by anything but a regular file, which SQLite would follow.
    func checkUnlessMissing(_ file: String) throws {
        var status = stat()
        guard lstat(file, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw Self.refusal(file, "it is no regular file of user \(geteuid())")
        }
    }

    /// Makes the entries of the directory durable. The corresponding C function is `fsync`.
    func synchronize() throws {
        let descriptor = Glibc.open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(path, Self.systemError) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.refusal(path, Self.systemError) }
    }

    private static func make(_ path: String) throws {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw refusal(path, systemError)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refusal(path, systemError) }
    }

    static func refusal(_ path: String, _ reason: String) -> StoreError {
        .unsafePlace(path: path, reason: reason)
    }

    static var systemError: String { String(cString: strerror(errno)) }
}
