internal import GRDB
internal import GRDBSQLite
internal import Glibc

/// The write-ahead log of the file: how many commits went to it, and how long it is.
///
/// SQLite calls back after each commit that wrote to the file, and after no other: with `synchronous = FULL` each call
/// stands for one wait for the disk. The log is brought into the database by the store itself, because SQLite's own
/// automatic checkpoint hides the errors of the disk (I3).
final class WriteAheadLog {
    /// Commits that wrote to the file.
    private(set) var commits: UInt64 = 0
    private(set) var checkpoints: UInt64 = 0
    private var pages: Int32 = 0
    private var nextCheckpoint = WriteAheadLog.pagesBetweenCheckpoints
    private let database: Database

    /// Pages in the log at which it is brought into the database: 8 MiB.
    private static let pagesBetweenCheckpoints: Int32 = 2_048

    init(_ database: Database) throws {
        self.database = database
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, schema, pages in
                // The session owns the log and outlives the connection's use.
                let log = Unmanaged<WriteAheadLog>.fromOpaque(context!).takeUnretainedValue()
                if schema.map({ strcmp($0, "main") }) == 0 { log.committed(pages) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        sqlite3_wal_hook(database.sqliteConnection, nil, nil)
    }

    private func committed(_ pages: Int32) {
        commits += 1
        self.pages = pages
    }

    /// Brings the log into the database where it has grown long.
    func checkpointIfLong() throws {
        guard pages >= nextCheckpoint else { return }
        do {
            _ = try database.checkpoint(.passive)
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
        _ = try database.checkpoint(.truncate)
        checkpoints += 1
        pages = 0
    }
}
