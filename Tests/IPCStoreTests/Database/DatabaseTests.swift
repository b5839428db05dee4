import CSQLite
import Glibc
import IPCTesting
import Testing

@testable import IPCStore

/// The layer over SQLite: each error is thrown, and nothing stays open after it.
@Suite struct DatabaseTests {
    let place: TestPlace
    let file: String

    init() throws {
        place = try TestPlace()
        file = place.path + "/test.sqlite"
    }

    /// The error that the body throws.
    private func error(_ body: () throws -> Void) throws -> DatabaseError {
        try #require(throws: DatabaseError.self) { try body() }
    }

    private func database(_ statements: String...) throws -> Database {
        let database = try Database(file)
        for statement in statements { try database.execute(statement) }
        return database
    }

    // MARK: Errors

    @Test func `a file that cannot be opened throws CANTOPEN`() throws {
        let error = try error { _ = try Database(place.path + "/missing/test.sqlite") }
        #expect(error.primaryCode == SQLITE_CANTOPEN)
        #expect(error.isFault && !error.isDamage && !error.isFullDisk)
    }

    @Test func `a file of another kind throws NOTADB, and counts as damage`() throws {
        try place.write([UInt8](repeating: 7, count: 4_096), to: file)
        let database = try Database(file)
        let error = try error { _ = try database.texts("SELECT name FROM sqlite_schema") }
        #expect(error.primaryCode == SQLITE_NOTADB && error.isDamage)
        #expect(
            "\(error)"
                == "SQLite error 26: file is not a database - while executing `SELECT name FROM sqlite_schema`")
    }

    @Test func `a destroyed page throws CORRUPT, and counts as damage`() throws {
        try database("CREATE TABLE row (value)", "INSERT INTO row VALUES (1)").close()
        var bytes = try place.bytes(file)
        for index in 4_096..<8_192 { bytes[index] = 0xFF }
        try place.write(bytes, to: file)
        let database = try Database(file)
        let error = try error { _ = try database.integer("SELECT value FROM row") }
        #expect(error.primaryCode == SQLITE_CORRUPT && error.isDamage)
    }

    @Test func `an unreadable page throws IOERR_READ, and counts as unreadable`() throws {
        try database("CREATE TABLE row (value)", "INSERT INTO row VALUES (1)").close()
        // These statements take the lock and read the schema, but not yet the page of the table.
        let database = try database("BEGIN", "SELECT * FROM sqlite_schema")
        #expect(DiskFault.replace(file, by: "/dev/null", O_WRONLY))
        let error = try error { _ = try database.integer("SELECT value FROM row") }
        #expect(error.code == SQLITE_IOERR | 1 << 8 && error.isUnreadable && error.isFault && !error.isDamage)
        // SQLITE_IOERR_WRITE
        #expect(!DatabaseError(SQLITE_IOERR | 3 << 8).isUnreadable)
    }

    @Test func `a full disk throws FULL, which is not a fault`() throws {
        let database = try database("CREATE TABLE row (value)", "PRAGMA max_page_count = 3")
        let error = try error { try database.execute("INSERT INTO row VALUES (zeroblob(100000))") }
        #expect(error.primaryCode == SQLITE_FULL && error.isFullDisk && !error.isFault)
    }

    @Test func `a write to a read-only database throws READONLY`() throws {
        let database = try database("CREATE TABLE row (value)", "PRAGMA query_only = ON")
        let error = try error { try database.execute("INSERT INTO row VALUES (1)") }
        #expect(error.primaryCode == SQLITE_READONLY && error.isFault)
    }

    @Test func `a second writer throws BUSY at once`() throws {
        let first = try database("CREATE TABLE row (value)")
        let second = try Database(file)
        try first.transaction {
            let refusal = try error { try second.transaction {} }
            #expect(refusal.primaryCode == SQLITE_BUSY)
        }
    }

    @Test func `an error has its extended code`() throws {
        let database = try database("CREATE TABLE row (value UNIQUE)", "INSERT INTO row VALUES (1)")
        let insert = try PreparedStatement("INSERT INTO row VALUES (?)", on: database)
        let error = try error { try insert.run([.integer(1)]) }
        // SQLITE_CONSTRAINT_UNIQUE
        #expect(error.code == SQLITE_CONSTRAINT | 8 << 8 && error.primaryCode == SQLITE_CONSTRAINT)
        // The statement can run again.
        try insert.run([.integer(2)])
        #expect(try database.texts("SELECT value FROM row ORDER BY value") == ["1", "2"])
    }

    @Test(arguments: [
        "SELECT value FROM missing", "SELECT missing FROM row", "SELECT \"value of no column\" FROM row", "SELEC 1",
    ])
    func `an unknown name throws ERROR, even in double quotes`(_ sql: String) throws {
        let database = try database("CREATE TABLE row (value)")
        let error = try error { _ = try PreparedStatement(sql, on: database) }
        #expect(error.primaryCode == SQLITE_ERROR && error.isUnknownName && error.sql == sql)
    }

    // MARK: Statements

    @Test(arguments: ["", " -- nothing", "SELECT 1; SELECT 2"])
    func `a text that is not one statement throws MISUSE`(_ sql: String) throws {
        let database = try database()
        #expect(try error { _ = try PreparedStatement(sql, on: database) }.code == SQLITE_MISUSE)
        // Closing succeeds only if no prepared statement is left.
        try database.close()
    }

    @Test(arguments: [0, 1, 3])
    func `a wrong count of values throws MISUSE, and runs nothing`(_ count: Int) throws {
        let database = try database("CREATE TABLE row (a, b)")
        let insert = try PreparedStatement("INSERT INTO row VALUES (?, ?)", on: database)
        #expect(try error { try insert.run(Array(repeating: .integer(1), count: count)) }.code == SQLITE_MISUSE)
        #expect(try database.integer("SELECT count(*) FROM row") == 0)
        try insert.run([.integer(1), .integer(1)])
        #expect(try insert.changes == 1)
    }

    @Test func `a running statement cannot run again before it ends`() throws {
        let database = try database("CREATE TABLE row (value)", "INSERT INTO row VALUES (1), (2)")
        let select = try PreparedStatement("SELECT value FROM row", on: database)
        var seen: [Int64] = []
        try select.query { row in
            let refusal = try error { try select.run() }
            #expect(refusal.code == SQLITE_MISUSE)
            seen.append(row.integer(0))
        }
        #expect(seen == [1, 2])
    }

    @Test func `a query whose body throws leaves no statement running`() throws {
        let database = try database("CREATE TABLE row (value)", "INSERT INTO row VALUES (1), (2)")
        let select = try PreparedStatement("SELECT value FROM row", on: database)
        #expect(throws: CancellationError.self) { try select.query { _ in throw CancellationError() } }
        // SQLite would refuse to drop the table if a statement were still reading it.
        try database.execute("DROP TABLE row")
    }

    // MARK: Transactions

    @Test func `a transaction whose body throws is rolled back`() throws {
        let database = try database("CREATE TABLE row (value)")
        #expect(throws: CancellationError.self) {
            try database.transaction {
                try database.execute("INSERT INTO row VALUES (1)")
                #expect(database.hasTransaction)
                throw CancellationError()
            }
        }
        #expect(!database.hasTransaction)
        #expect(try database.integer("SELECT count(*) FROM row") == 0)
        #expect(try database.transaction { try database.execute("INSERT INTO row VALUES (1)") } == ())
        #expect(try database.integer("SELECT count(*) FROM row") == 1)
    }

    @Test func `a transaction that SQLite itself rolls back throws the first error`() throws {
        let database = try database(
            "CREATE TABLE row (value UNIQUE ON CONFLICT ROLLBACK)", "INSERT INTO row VALUES (1)")
        let error = try error {
            try database.transaction { try database.execute("INSERT INTO row VALUES (1)") }
        }
        #expect(error.primaryCode == SQLITE_CONSTRAINT && !database.hasTransaction)
    }

    @Test func `a commit that SQLite refuses is rolled back`() throws {
        let database = try database(
            "PRAGMA foreign_keys = ON", "CREATE TABLE owner (id INTEGER PRIMARY KEY)",
            "CREATE TABLE row (owner REFERENCES owner DEFERRABLE INITIALLY DEFERRED)")
        let error = try error {
            try database.transaction { try database.execute("INSERT INTO row VALUES (1)") }
        }
        #expect(error.primaryCode == SQLITE_CONSTRAINT && !database.hasTransaction)
        #expect(try database.integer("SELECT count(*) FROM row") == 0)
    }

    // MARK: Closing

    @Test func `closing a connection with a statement throws BUSY, and it stays open`() throws {
        let database = try database("CREATE TABLE row (value)")
        var insert: PreparedStatement? = try PreparedStatement("INSERT INTO row VALUES (1)", on: database)
        #expect(try error { try database.close() }.primaryCode == SQLITE_BUSY)
        try insert?.run()
        insert = nil
        try database.close()
        try database.close()
        #expect(try error { try database.execute("SELECT 1") }.code == SQLITE_MISUSE)
        #expect(try error { _ = try PreparedStatement("SELECT 1", on: database) }.code == SQLITE_MISUSE)
        #expect(!database.hasTransaction)
        #expect(try Database(file).integer("SELECT count(*) FROM row") == 1)
    }

    @Test func `closing a connection rolls back an open transaction`() throws {
        let database = try database("CREATE TABLE row (value)", "BEGIN IMMEDIATE", "INSERT INTO row VALUES (1)")
        try database.close()
        #expect(try Database(file).integer("SELECT count(*) FROM row") == 0)
    }

    @Test func `a released connection is closed with its last statement`() throws {
        var database: Database? = try database("CREATE TABLE row (value)", "BEGIN EXCLUSIVE")
        var select = try database.map { try PreparedStatement("SELECT count(*) FROM row", on: $0) }
        database = nil
        #expect(try select?.first { $0.integer(0) } == 0)
        let other = try Database(file)
        #expect(try error { try other.transaction {} }.primaryCode == SQLITE_BUSY)
        select = nil
        try other.transaction {}
    }

    // MARK: The write-ahead log

    @Test func `the observer sees each commit to the main file, and no other`() throws {
        let database = try database(
            "PRAGMA journal_mode = WAL", "ATTACH ':memory:' AS volatile", "CREATE TABLE main.row (value)",
            "CREATE TABLE volatile.row (value)")
        var lengths: [Int32] = []
        database.observeLog { lengths.append($0) }
        try database.execute("INSERT INTO volatile.row VALUES (1)")
        #expect(lengths == [])
        try database.execute("INSERT INTO main.row VALUES (1)")
        try database.execute("INSERT INTO main.row VALUES (2)")
        #expect(lengths.count == 2 && lengths[0] > 0 && lengths[1] > lengths[0])
        #expect(throws: CancellationError.self) {
            try database.transaction {
                try database.execute("INSERT INTO main.row VALUES (3)")
                throw CancellationError()
            }
        }
        database.observeLog(nil)
        try database.execute("INSERT INTO main.row VALUES (4)")
        #expect(lengths.count == 2)
    }

    @Test func `a checkpoint empties the log, and throws BUSY during a read`() throws {
        let database = try database("PRAGMA journal_mode = WAL", "CREATE TABLE row (value)")
        #expect(try place.bytes(file + "-wal").count > 0)
        try database.checkpoint(.passive)
        #expect(try place.bytes(file + "-wal").count > 0)
        let reader = try Database(file)
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM row")
        try database.execute("INSERT INTO row VALUES (1)")
        #expect(try error { try database.checkpoint(.truncate) }.primaryCode == SQLITE_BUSY)
        try reader.close()
        try database.checkpoint(.truncate)
        #expect(try place.bytes(file + "-wal").count == 0)
    }

    // MARK: Threads

    /// Uses a connection on a thread other than its own.
    private static func useElsewhere(_ use: @escaping (Database) throws -> Void) async throws {
        nonisolated(unsafe) let (database, use) = (try Database(":memory:"), use)
        await withCheckedContinuation { continuation in
            let isStarted = OwnThread.start("elsewhere") {
                try? use(database)
                continuation.resume()
            }
            if !isStarted { continuation.resume() }
        }
    }

    @Test func `using a connection on a wrong thread aborts a debug build`() async {
        await #expect(processExitsWith: .failure) { try await Self.useElsewhere { try $0.execute("SELECT 1") } }
    }

    @Test func `a connection that is lent can be used on another thread`() async {
        await #expect(processExitsWith: .success) {
            try await Self.useElsewhere { database in try database.lent { try database.execute("SELECT 1") } }
        }
    }
}
