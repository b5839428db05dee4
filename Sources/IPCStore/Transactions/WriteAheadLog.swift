internal import Glibc

/// The database's write-ahead log, with its flushes and checkpoints. SQLite reports each commit that wrote to the
/// database file, but does not flush it (`synchronous = NORMAL`). The store flushes it, with the system call that
/// SQLite would make, before it answers callers and before the next commit. So the disk gets the same writes in the
/// same order as with `FULL`. The store also runs the checkpoints, because SQLite's automatic ones hide disk errors
/// (I3).
final class WriteAheadLog {
    /// The number of commits that wrote to the database file.
    private(set) var commits: UInt64 = 0
    private(set) var needsFlush = false
    private(set) var checkpoints: UInt64 = 0
    private var pages: Int32 = 0
    private var nextCheckpoint = WriteAheadLog.pagesBetweenCheckpoints
    private let database: Database
    let path: String
    private let waitsForDisk: Bool
    private let place: (file: String, inode: ino_t?)
    private var opened: (descriptor: CInt, inode: ino_t)?

    /// 1,024 pages of the log are 4 MiB. A checkpoint copies them while other operations wait (I15).
    private static let pagesBetweenCheckpoints: Int32 = 1_024

    /// - Parameter waitsForDisk: whether commits are flushed; false only in tests of `synchronous-off`.
    init(_ database: Database, in directory: StoreDirectory, waitsForDisk: Bool) {
        (self.database, path, self.waitsForDisk) = (database, directory.log, waitsForDisk)
        place = (directory.database, Self.inode { lstat(directory.database, &$0) })
        database.observeLog { [unowned self] in committed($0) }
    }

    deinit {
        database.observeLog(nil)
        if let opened { Glibc.close(opened.descriptor) }
    }

    private func committed(_ pages: Int32) {
        commits += 1
        needsFlush = waitsForDisk
        self.pages = pages
    }

    /// A descriptor of the log, for flushes. SQLite keeps the same file as long as the connection is open.
    var descriptor: CInt {
        get throws {
            if let opened { return opened.descriptor }
            let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0, let inode = Self.inode({ fstat(descriptor, &$0) }) else {
                throw FailedFlush(error: errno)
            }
            opened = (descriptor, inode)
            return descriptor
        }
    }

    /// The error for every write once the open database or its log was removed, moved or replaced, because the next
    /// broker would not find the writes; `nil` if both files are in their place.
    var loss: StoreError? {
        let log = opened.map { (path, Optional($0.inode)) }
        for (path, inode) in [(place.file, place.inode), log].compactMap(\.self) {
            let found = Self.inode { lstat(path, &$0) }
            if let found, found != inode { return .replaced(path: path) }
            if found == nil, errno == ENOENT || errno == ENOTDIR { return .removed(path: path) }
        }
        return nil
    }

    private static func inode(_ read: (inout stat) -> CInt) -> ino_t? {
        var status = stat()
        return read(&status) == 0 ? status.st_ino : nil
    }

    /// Whether the log was removed, so that its content is lost when the process exits.
    var isRemoved: Bool {
        guard let opened else { return access(path, F_OK) != 0 && errno == ENOENT }
        var status = stat()
        return fstat(opened.descriptor, &status) == 0 && status.st_nlink == 0
    }

    func flush() throws {
        guard needsFlush else { return }
        try flushed(FlushThread.flushHere(descriptor))
    }

    /// Records the result of a flush: an error number, or 0.
    func flushed(_ error: CInt) throws {
        guard error == 0 else { throw FailedFlush(error: error) }
        needsFlush = false
    }

    var isLong: Bool { pages >= nextCheckpoint }

    func checkpointIfLong() throws {
        guard isLong else { return }
        do {
            try database.checkpoint(.passive)
            checkpoints += 1
            pages = 0
            nextCheckpoint = Self.pagesBetweenCheckpoints
        } catch let error where error.isFullDisk {
            // All commits are safe in the log, so the checkpoint is tried again once the log has grown further.
            nextCheckpoint = pages + Self.pagesBetweenCheckpoints
        }
    }

    /// Copies the whole log into the database, and empties it.
    func checkpointAll() throws {
        try database.checkpoint(.truncate)
        checkpoints += 1
        pages = 0
    }
}

/// The disk has rejected a write, so the store acknowledges no further operation.
struct FailedFlush: Error, CustomStringConvertible {
    let error: CInt

    var description: String { "the write-ahead log cannot be written to the disk: \(String(cString: strerror(error)))" }
}
