internal import CSQLite
internal import Glibc

/// A connection to a database. One thread at a time uses the connection and its statements; debug builds check that. A
/// connection that was never closed explicitly closes once its last statement is gone.
final class Database {
    private var handle: OpaquePointer?
    private var thread = pthread_self()
    private var logObserver: ((Int32) -> Void)?

    /// Opens a database, or creates an empty one. The corresponding C function is `sqlite3_open_v2`.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        // SQLite needs no locks, because one thread at a time uses the connection.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            // SQLite creates a handle even for a file that it cannot open.
            sqlite3_close(handle)
            throw DatabaseError(code)
        }
        self.handle = handle
        try check(csqlite_read_double_quotes_as_names(handle))
    }

    deinit { sqlite3_close_v2(handle) }

    /// Closes the connection. An open transaction is rolled back. The corresponding C function is `sqlite3_close`.
    /// - Throws: `SQLITE_BUSY` if a statement still exists; the connection then stays open.
    func close() throws {
        guard handle != nil else { return }
        try check(sqlite3_close(connection))
        handle = nil
    }

    /// Closes the connection to a damaged database. SQLite would copy the log into the database, which changes what the
    /// damaged file contains, and may be the work of a damaged log.
    func closeKeepingLog() throws {
        try check(csqlite_keep_log_on_close(connection))
        try close()
    }

    /// Leaves the connection open until the process exits, because closing it would write to a failed disk.
    func abandon() {
        observeLog(nil)
        handle = nil
    }

    var connection: OpaquePointer {
        get throws {
            checkThread()
            guard let handle else { throw DatabaseError(SQLITE_MISUSE, "the connection is closed") }
            return handle
        }
    }

    /// An error with the given code, and with SQLite's message for the most recent failed call.
    func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
        if isOverQuota(code) { return DatabaseError(SQLITE_FULL, "the user's disk quota is used up", sql: sql) }
        return DatabaseError(code, handle.map { String(cString: sqlite3_errmsg($0)) }, sql: sql)
    }

    /// Whether a write failed because the user's disk quota is used up (I4). SQLite has a code for a full disk, but
    /// reports this as a failed disk.
    private func isOverQuota(_ code: Int32) -> Bool {
        // SQLITE_IOERR_WRITE, which Swift does not import.
        guard let handle, code == SQLITE_IOERR | 3 << 8 else { return false }
        var log: UnsafeMutablePointer<sqlite3_file>?
        var errors: (database: Int32, log: Int32) = (0, 0)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &errors.database)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        if let log, let methods = log.pointee.pMethods {
            _ = methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &errors.log)
        }
        return errors.database == EDQUOT || errors.log == EDQUOT
    }

    func check(_ code: Int32, sql: String? = nil) throws {
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// Traps in a debug build if the current thread may not use the connection.
    func checkThread() {
        assert(pthread_equal(thread, pthread_self()) != 0, "a thread uses another thread's connection")
    }

    /// Lends the connection to the current thread while the body runs. Its usual thread must not use it meanwhile.
    func lent<Value>(_ body: () throws -> Value) rethrows -> Value {
        let owner = thread
        thread = pthread_self()
        defer { thread = owner }
        return try body()
    }

    /// Runs statements without parameters, and ignores their rows. The corresponding C function is `sqlite3_exec`.
    func execute(_ sql: String) throws {
        try check(sqlite3_exec(connection, sql, nil, nil, nil), sql: sql)
    }

    /// The first column of a query's rows, as strings.
    func texts(_ sql: String) throws -> [String] {
        var texts: [String] = []
        try PreparedStatement(sql, on: self).query { texts.append($0.text(0)) }
        return texts
    }

    /// The number in the first column of a query's first row; 0 if there is no row.
    func integer(_ sql: String) throws -> Int64 {
        try PreparedStatement(sql, on: self).first { $0.integer(0) } ?? 0
    }

    /// Whether a transaction is open. The corresponding C function is `sqlite3_get_autocommit`.
    var hasTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Runs the body in a transaction, and rolls it back if the body or the commit throws.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // After some errors, SQLite has already rolled the transaction back. Errors of the rollback do not matter.
            if hasTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    enum CheckpointMode {
        case passive, truncate
    }

    /// Copies the write-ahead log into the database. The corresponding C function is `sqlite3_wal_checkpoint_v2`.
    func checkpoint(_ mode: CheckpointMode) throws {
        let mode = mode == .truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        try check(sqlite3_wal_checkpoint_v2(connection, "main", mode, nil, nil))
    }

    /// Calls the observer after each commit to the database file, with the length of the log in pages. The
    /// corresponding C function is `sqlite3_wal_hook`, which the setting `wal_autocheckpoint` uses too.
    func observeLog(_ observer: ((Int32) -> Void)?) {
        logObserver = observer
        guard let handle else { return }
        guard observer != nil else {
            sqlite3_wal_hook(handle, nil, nil)
            return
        }
        let report: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
            context, _, schema, pages in
            if let context, let schema, strcmp(schema, "main") == 0 {
                Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().logObserver?(pages)
            }
            return SQLITE_OK
        }
        sqlite3_wal_hook(handle, report, Unmanaged.passUnretained(self).toOpaque())
    }
}
