/// A copy of a damaged database, which may be repaired as far as that helps to read it.
struct DamagedDatabase {
    let path: String

    /// Copies what can be read into a new store, in one transaction of that.
    func salvage(into target: Database, at now: UInt64) throws -> OpeningReport.Salvage {
        var result = OpeningReport.Salvage()
        try withConnection { source in
            guard let source else { return }
            try repairSchema(source, like: target)
        }
        try withConnection { source in
            var salvage = Salvage(from: source, into: target)
            try target.transaction { try salvage.copyAll(at: now) }
            result = salvage.result
        }
        return result
    }

    /// Writes the definitions of the tables anew. They stand in rows without a checksum, and one that a flipped bit has
    /// hit makes SQLite refuse the whole file; in a new store of the same version they are the same, row for row.
    private func repairSchema(_ source: Database, like target: Database) throws {
        var rows: [[SQLValue]] = []
        try PreparedStatement("SELECT type, name, tbl_name, rootpage, sql, rowid FROM main.sqlite_schema", on: target)
            .query { rows.append($0.values) }
        try Salvage.ignoringDamage {
            let replace = try PreparedStatement(
                """
                INSERT OR REPLACE INTO sqlite_schema (type, name, tbl_name, rootpage, sql, rowid)
                VALUES (?, ?, ?, ?, ?, ?)
                """, on: source)
            for row in rows { try replace.run(row) }
        }
    }

    /// Lends a connection that takes what SQLite can make out of the schema; nil where it can make out nothing.
    private func withConnection(_ body: (Database?) throws -> Void) throws {
        var source: Database?
        try Salvage.ignoringDamage {
            let database = try Database(path)
            try database.execute("PRAGMA writable_schema = ON")
            // SQLite reads the file here, and not before.
            try database.execute("SELECT * FROM sqlite_schema LIMIT 1")
            source = database
        }
        try body(source)
        try source?.close()
    }
}
