/// Copies intact rows from a damaged database into a new one. The damaged database has its own connection, because
/// SQLite rejects writes in a transaction that has read damaged pages.
struct Salvage {
    /// The damaged database; `nil` if it cannot be read.
    private let source: Database?
    private let target: Database
    private var result = OpeningReport.Salvage()
    private var greatest: UInt64 = 0

    /// Copies all readable rows into a new store, in one transaction.
    /// - Parameter path: the path of a copy of the damaged database, whose schema is repaired first.
    static func run(from path: String, into target: Database, at now: UInt64) throws -> OpeningReport.Salvage {
        try withConnection(to: path) { source in
            if let source { try repairSchema(source, like: target) }
        }
        return try withConnection(to: path) { source in
            var salvage = Salvage(source: source, target: target)
            try target.transaction { try salvage.copyAll(at: now) }
            return salvage.result
        }
    }

    /// Replaces the table definitions, row by row, with those of a new store of the same version. Definitions have no
    /// checksum, and a flipped bit in one makes SQLite reject the whole file.
    private static func repairSchema(_ source: Database, like target: Database) throws {
        var rows: [[SQLValue]] = []
        try PreparedStatement("SELECT type, name, tbl_name, rootpage, sql, rowid FROM main.sqlite_schema", on: target)
            .query { rows.append($0.values) }
        try ignoringDamage {
            let replace = try PreparedStatement(
                """
                INSERT OR REPLACE INTO sqlite_schema (type, name, tbl_name, rootpage, sql, rowid)
                VALUES (?, ?, ?, ?, ?, ?)
                """, on: source)
            for row in rows { try replace.run(row) }
        }
    }

    /// Passes the body a connection that ignores schema errors, or `nil` if SQLite cannot read any definition.
    private static func withConnection<Value>(to path: String, _ body: (Database?) throws -> Value) throws -> Value {
        var source: Database?
        try ignoringDamage {
            let database = try Database(path)
            try database.execute("PRAGMA writable_schema = ON")
            // SQLite reads the file for the first time here, and throws if it finds damage.
            try database.execute("SELECT * FROM sqlite_schema LIMIT 1")
            source = database
        }
        let value = try body(source)
        try source?.close()
        return value
    }

    private typealias Table = (name: String, domain: Checksum.Domain, checksum: Int32)

    /// The tables to copy. Two are left out: the next start computes `usage`, and `setCounts` writes `reservation`.
    private static let tables: [Table] = [
        ("pasteboard", .pasteboard, 7),
        ("version", .version, 13),
        ("representation", .representation, 6),
        ("unused_content", .unusedContent, 1),
        ("removal", .removal, 2),
        ("operation", .operation, 7),
        ("open_request", .openRequest, 30),
        ("scheme_claim", .schemeClaim, 6),
        ("scheme_default", .schemeDefault, 4),
        ("policy", .policy, 5),
        ("live_claim", .liveClaim, 6),
    ]

    /// Copies all readable rows, and makes new change counts start above the old ones.
    private mutating func copyAll(at now: UInt64) throws {
        var next: UInt64 = 0
        if let source {
            for table in Self.tables { try copy(table, from: source) }
            next = try reserved(in: source)
        }
        try setCounts(next, at: now)
    }

    /// Copies a table from its first row on. If damage stops the copying, also copies it from its last row backwards.
    private mutating func copy(_ table: Table, from source: Database) throws {
        let isWhole = try copy(table, from: source, "ORDER BY rowid")
        guard !isWhole else { return }
        result.tablesCutShort += 1
        _ = try copy(table, from: source, "ORDER BY rowid DESC")
    }

    private mutating func copy(_ table: Table, from source: Database, _ order: String) throws -> Bool {
        // In the table `representation`, the value comes after the checksum.
        let columns = table.checksum + (table.domain == .representation ? 2 : 1)
        let marks = Array(repeating: "?", count: Int(columns)).joined(separator: ", ")
        let insert = try PreparedStatement("INSERT OR IGNORE INTO main.\(table.name) VALUES (\(marks))", on: target)
        return try Self.ignoringDamage {
            try PreparedStatement("SELECT * FROM \(table.name) \(order)", on: source).query { row in
                guard row.isIntact(table.domain, checksum: table.checksum) else { return }
                try insert.run((0..<columns).map(row.value))
                result.rows += Int(try insert.changes)
                note(row, table)
            }
        }
    }

    private mutating func note(_ row: SQLRow, _ table: Table) {
        let count: UInt64
        switch table.domain {
        case .version, .removal: count = row.number(0)
        case .pasteboard: count = row.number(2)
        default: return
        }
        if count < ChangeCounter.greatest { greatest = max(greatest, count) }
    }

    private func reserved(in source: Database) throws -> UInt64 {
        var next: UInt64 = 0
        try Self.ignoringDamage {
            try PreparedStatement("SELECT * FROM reservation", on: source).query { row in
                let count = row.number(1)
                if row.isIntact(.reservation, checksum: 5), count < ChangeCounter.greatest { next = max(next, count) }
            }
        }
        return next
    }

    /// Makes new change counts start above the highest known one. If no row of `reservation` is intact, starts at the
    /// number of milliseconds since 2020, which no store has reached.
    private func setCounts(_ reserved: UInt64, at now: UInt64) throws {
        var next = reserved
        if next == 0 { next = now > Self.start2020 ? now - Self.start2020 : 1 }
        next = max(next, greatest + 1)
        let update = try PreparedStatement(
            "INSERT OR REPLACE INTO main.reservation VALUES (?, ?, ?, ?, ?, ?)", on: target)
        for id in 1...2 {
            let columns: [SQLValue] = [.number(id), .number(next), .number(next - 1), .integer(1), .integer(0)]
            try update.run(columns + [Checksum.of(columns, in: .reservation)])
        }
    }

    /// Milliseconds from 1970 to 2020.
    private static let start2020: UInt64 = 1_577_836_800_000

    /// Runs the body. Returns false instead of throwing if it finds damage, or if a table is missing from the schema.
    @discardableResult
    private static func ignoringDamage(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error where error.isDamage || error.isUnknownName {
            return false
        }
    }
}
