internal import Glibc

/// The write-ahead log of the file: how many commits went to it, and how long it is.
///
/// SQLite calls back after each commit that wrote to the file, and after no other. It does not wait for the disk then
/// (`synchronous = NORMAL`): the store does, by the same call that SQLite would make, before it answers and before the next
/// commit writes to the log, so that the disk gets the same in the same order as with FULL. The log is brought into the
/// database by the store itself, because SQLite's own automatic checkpoint hides the errors of the disk (I3).
final class WriteAheadLog {
    /// Commits that wrote to the file.
    private(set) var commits: UInt64 = 0
    /// Whether the last commit is still to be waited for.
    private(set) var needsFlush = false
    private(set) var checkpoints: UInt64 = 0
    private var pages: Int32 = 0
    private var nextCheckpoint = WriteAheadLog.pagesBetweenCheckpoints
    private let database: Database
    let path: String
    private let waitsForDisk: Bool
    private var opened: CInt?

    /// Pages in the log at which it is brought into the database: 8 MiB.
    private static let pagesBetweenCheckpoints: Int32 = 2_048

    /// The log of an open database.
    /// - Parameter waitsForDisk: false for the control that does not.
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

    /// The log, open to be flushed: SQLite keeps the file for as long as the connection lives.
    var descriptor: CInt {
        get throws {
            if let opened { return opened }
            let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw FailedFlush(error: errno) }
            opened = descriptor
            return descriptor
        }
    }

    /// Whether the file was removed: what is written to it is gone with the process.
    var isRemoved: Bool {
        guard let opened else { return access(path, F_OK) != 0 && errno == ENOENT }
        var status = stat()
        return fstat(opened, &status) == 0 && status.st_nlink == 0
    }

    /// Waits until the last commit is on the disk.
    func flush() throws {
        guard needsFlush else { return }
        try flushed(FlushThread.flush(descriptor))
    }

    /// Notes how the wait for the last commit has ended.
    func flushed(_ error: CInt) throws {
        guard error == 0 else { throw FailedFlush(error: error) }
        needsFlush = false
    }

    /// Whether the log has grown so long that it is to be brought into the database.
    var isLong: Bool { pages >= nextCheckpoint }

    /// Brings the log into the database where it has grown long.
    func checkpointIfLong() throws {
        guard isLong else { return }
        do {
            try database.checkpoint(.passive)
            checkpoints += 1
            pages = 0
            nextCheckpoint = Self.pagesBetweenCheckpoints
        } catch let error where error.isFullDisk {
            // Everything is safe in the log; try again when it has grown further.
            nextCheckpoint = pages + Self.pagesBetweenCheckpoints
        }
    }

    /// Brings the whole log into the database and empties it.
    func checkpointAll() throws {
        try database.checkpoint(.truncate)
        checkpoints += 1
        pages = 0
    }
}

/// The disk has not taken what was written: nothing more may be acknowledged.
struct FailedFlush: Error, CustomStringConvertible {
    let error: CInt

    var description: String { "the write-ahead log does not reach the disk: \(String(cString: strerror(error)))" }
}
