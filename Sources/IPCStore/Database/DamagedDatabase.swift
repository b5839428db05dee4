internal import GRDB

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
            try target.inTransaction(.immediate) {
                try salvage.copyAll(at: now)
                return .commit
            }
            result = salvage.result
        }
        return result
    }

    /// Writes the definitions of the tables anew. They stand in rows without a checksum, and one that a flipped bit has
    /// hit makes SQLite refuse the whole file; in a new store of the same version they are the same, row for row.
    private func repairSchema(_ source: Database, like target: Database) throws {
        let rows = try Row.fetchAll(
            target, sql: "SELECT type, name, tbl_name, rootpage, sql, rowid FROM main.sqlite_schema")
        try Salvage.ignoringDamage {
            for row in rows {
                try source.execute(
                    sql: """
                        INSERT OR REPLACE INTO sqlite_schema (type, name, tbl_name, rootpage, sql, rowid)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """, arguments: StatementArguments(row.databaseValues))
            }
        }
    }

    /// Lends a connection that takes what SQLite can make out of the schema; nil where it can make out nothing.
    private func withConnection(_ body: (Database?) throws -> Void) throws {
        var configuration = StoreSettings.base
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA writable_schema = ON") }
        var queue: DatabaseQueue?
        try Salvage.ignoringDamage { queue = try DatabaseQueue(path: path, configuration: configuration) }
        guard let queue else { return try body(nil) }
        defer { try? queue.close() }
        try queue.writeWithoutTransaction(body)
    }
}
