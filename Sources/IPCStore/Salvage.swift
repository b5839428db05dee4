internal import GRDB

/// The copying of intact rows from a damaged database, attached as `damaged`, into a new one.
struct Salvage {
    private let database: Database
    private(set) var result = OpeningReport.Salvage()
    private var greatest: UInt64 = 0

    init(_ database: Database) {
        self.database = database
    }

    private struct Table {
        let name: String
        let domain: Checksum.Domain
        /// The column of the checksum.
        let checksum: Int32
        let columns: Int

        init(_ name: String, _ domain: Checksum.Domain, checksum: Int32, columns: Int? = nil) {
            (self.name, self.domain, self.checksum) = (name, domain, checksum)
            self.columns = columns ?? Int(checksum) + 1
        }
    }

    private static let tables = [
        Table("pasteboard", .pasteboard, checksum: 6),
        Table("version", .version, checksum: 12),
        Table("representation", .representation, checksum: 6, columns: 8),
        Table("removal", .removal, checksum: 2),
        Table("operation", .operation, checksum: 7),
        Table("open_request", .openRequest, checksum: 21),
        Table("scheme_claim", .schemeClaim, checksum: 6),
        Table("scheme_default", .schemeDefault, checksum: 4),
    ]

    /// Copies all tables and sets the change counts on.
    mutating func copyAll(at now: UInt64) throws {
        for table in Self.tables { try copy(table) }
        try setCounts(at: now)
    }

    /// Copies a table from its first row on and from its last row back, so that one page that cannot be read costs no
    /// more than what stands on it and below it.
    private mutating func copy(_ table: Table) throws {
        let isWhole = try copy(table, "ORDER BY rowid")
        guard !isWhole else { return }
        result.tablesCutShort += 1
        _ = try copy(table, "ORDER BY rowid DESC")
    }

    private mutating func copy(_ table: Table, _ order: String) throws -> Bool {
        let marks = Array(repeating: "?", count: table.columns).joined(separator: ", ")
        let insert = try PreparedStatement("INSERT OR IGNORE INTO main.\(table.name) VALUES (\(marks))", on: database)
        do {
            let select = try PreparedStatement("SELECT * FROM damaged.\(table.name) \(order)", on: database)
            try select.query { row in
                guard row.isIntact(table.domain, checksum: table.checksum) else { return }
                let before = database.totalChangesCount
                try insert.run((0..<table.columns).map { row.value(Int32($0)) })
                result.rows += database.totalChangesCount - before
                note(row, table)
            }
            return true
        } catch  where error.isDamage || (error as? DatabaseError)?.resultCode == .SQLITE_ERROR {
            // A schema that cannot be read is “no such table”.
            return false
        }
    }

    private mutating func note(_ row: SQLRow, _ table: Table) {
        switch table.domain {
        case .version, .removal: greatest = max(greatest, row.number(0))
        case .pasteboard: greatest = max(greatest, row.number(2))
        default: return
        }
    }

    /// Reserves behind the highest number that is known; where no reservation can be read, behind the milliseconds
    /// since 2020, which no store has counted up to.
    private mutating func setCounts(at now: UInt64) throws {
        var next: UInt64 = 0
        do {
            try PreparedStatement("SELECT * FROM damaged.reservation", on: database).query { row in
                if row.isIntact(.reservation, checksum: 5) { next = max(next, row.number(1)) }
            }
        } catch {
            next = 0
        }
        if next == 0 { next = now > Self.start2020 ? now - Self.start2020 : 1 }
        next = max(next, greatest + 1)
        let update = try PreparedStatement(
            "INSERT OR REPLACE INTO main.reservation VALUES (?, ?, ?, ?, ?, ?)", on: database)
        for id in 1...2 {
            let columns: [SQLValue] = [.number(id), .number(next), .number(next - 1), .integer(0), .integer(0)]
            try update.run(columns + [Checksum.of(columns, in: .reservation)])
        }
    }

    /// Milliseconds from 1970 to 2020.
    private static let start2020: UInt64 = 1_577_836_800_000
}

extension SQLRow {
    /// The value of a column, copied.
    func value(_ column: Int32) -> SQLValue {
        switch type(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .text: .text(text(column))
        case .bytes: .bytes(bytes(column))
        }
    }
}
