/// The versions of the schema, each with its statements. A released migration never changes. When you add one, also add
/// a store of the previous version to the test fixtures.
enum Migrations {
    /// The `user_version` of the files that this broker writes.
    static let latest = UInt32(steps.count)

    private static let steps: [[String]] = [Schema.first, [Schema.unusedContent]]

    /// Migrates the database file, one transaction per step. Creates the same tables in memory, where some stay empty.
    static func run(on database: Database) throws {
        let version = try database.integer("PRAGMA main.user_version")
        for (index, statements) in steps.enumerated() where index >= version {
            try database.transaction {
                try run(statements, .persistent, on: database)
                try database.execute("PRAGMA main.user_version = \(index + 1)")
                if index == 0 { try begin(database) }
            }
        }
        // Moves the new version number from the log into the file: an older broker checks only the file before opening
        // it (I25).
        if version < latest { try database.checkpoint(.truncate) }
        for statements in steps { try run(statements, .volatile, on: database) }
        try verify(database)
        try verifySchema(database)
    }

    private static func run(_ statements: [String], _ area: Area, on database: Database) throws {
        for statement in statements { try database.execute(StatementCache.expand(statement, area)) }
    }

    /// Marks a new file as a store, and starts the change counts.
    private static func begin(_ database: Database) throws {
        try database.execute("PRAGMA main.application_id = \(Int32(bitPattern: DatabaseHeader.applicationID))")
        let statement = try PreparedStatement("INSERT INTO main.reservation VALUES (?, ?, ?, ?, ?, ?)", on: database)
        for id in 1...2 {
            let columns: [SQLValue] = [.number(id), .integer(1), .integer(0), .integer(0), .integer(1)]
            try statement.run(columns + [Checksum.of(columns, in: .reservation)])
        }
    }

    /// Checks that the table definitions, which have no checksum, equal those of the in-memory database.
    private static func verifySchema(_ database: Database) throws {
        let damaged = try database.texts(
            """
            SELECT name FROM (SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_schema
            EXCEPT SELECT type, name, tbl_name, rootpage, sql FROM volatile.sqlite_schema)
            """)
        let count = try database.integer(
            "SELECT (SELECT count(*) FROM main.sqlite_schema) - (SELECT count(*) FROM volatile.sqlite_schema)")
        guard damaged.isEmpty, count == 0 else {
            throw DamagedFile("table definitions are damaged: \(damaged.joined(separator: ", "))")
        }
    }

    private static func verify(_ database: Database) throws {
        let mark = try database.integer("PRAGMA main.application_id")
        guard mark == Int64(DatabaseHeader.applicationID) else {
            throw StoreError.setting(
                name: "application_id", value: "\(mark)", wanted: "\(DatabaseHeader.applicationID)")
        }
        let version = try database.integer("PRAGMA main.user_version")
        guard version == Int64(latest) else {
            throw StoreError.setting(name: "user_version", value: "\(version)", wanted: "\(latest)")
        }
    }
}
