internal import Glibc

/// The write-ahead log of the file: its flushes and its checkpoints.
///
/// SQLite calls back after each commit that wrote to the file. It does not flush (`synchronous = NORMAL`). The store does,
/// with the system call that SQLite would make, before it answers and before the next commit. So the disk gets the same
/// writes in the same order as with FULL. The store also makes the checkpoints, because SQLite's automatic ones hide
/// errors of the disk (I3).
final class WriteAheadLog {
    /// Commits that wrote to the file.
    private(set) var commits: UInt64 = 0
    private(set) var needsFlush = false
    private(set) var checkpoints: UInt64 = 0
    private var pages: Int32 = 0
    private var nextCheckpoint = WriteAheadLog.pagesBetweenCheckpoints
    private let database: Database
    let path: String
    private let waitsForDisk: Bool
    private var opened: CInt?

    /// 8 MiB.
    private static let pagesBetweenCheckpoints: Int32 = 2_048

    /// - Parameter waitsForDisk: false for a control of the tests.
    init(_ database: Database, path: String, waitsForDisk: Bool) {
        (self.database, self.path, self.waitsForDisk) = (database, path, waitsForDisk)
        database.observeLog { [unowned self] in committed($0) }
    }

    deinit {
        database.observeLog(nil)
        if let opened { Glibc.close(opened) }
    }

    private func committed(_ pages: Int32) {
        commits += 1
        needsFlush = waitsForDisk
        self.pages = pages
    }

    /// The open log, for a flush: SQLite keeps the file as long as the connection is open.
    var descriptor: CInt {
        get throws {
            if let opened { return opened }
            let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw FailedFlush(error: errno) }
            opened = descriptor
            return descriptor
        }
    }

    /// Whether the file was removed: its content is lost when the process ends.
    var isRemoved: Bool {
        guard let opened else { return access(path, F_OK) != 0 && errno == ENOENT }
        var status = stat()
        return fstat(opened, &status) == 0 && status.st_nlink == 0
    }

    func flush() throws {
        guard needsFlush else { return }
        try flushed(FlushThread.flushHere(descriptor))
    }

    /// Notes the result of a flush: an error number, or 0.
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
            // All commits are safe in the log; retry when it has grown further.
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

/// The disk has rejected a write: the store acknowledges no further operation.
struct FailedFlush: Error, CustomStringConvertible {
    let error: CInt

    var description: String { "the write-ahead log does not reach the disk: \(String(cString: strerror(error)))" }
}
