/// The copying of intact rows from a damaged database into a new one.
///
/// The damaged database has a connection of its own: SQLite takes no more writes in a transaction that has met damage.
struct Salvage {
    /// Nil where nothing can be read.
    private let source: Database?
    private let target: Database
    private(set) var result = OpeningReport.Salvage()
    private var greatest: UInt64 = 0

    init(from source: Database?, into target: Database) {
        (self.source, self.target) = (source, target)
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

    /// All but the use of the sources, which the next start sums up anew.
    private static let tables = [
        Table("pasteboard", .pasteboard, checksum: 7),
        Table("version", .version, checksum: 13),
        Table("representation", .representation, checksum: 6, columns: 8),
        Table("removal", .removal, checksum: 2),
        Table("operation", .operation, checksum: 7),
        Table("open_request", .openRequest, checksum: 30),
        Table("scheme_claim", .schemeClaim, checksum: 6),
        Table("scheme_default", .schemeDefault, checksum: 4),
        Table("policy", .policy, checksum: 5),
        Table("live_claim", .liveClaim, checksum: 6),
    ]

    /// Copies all that can be read and sets the change counts on.
    mutating func copyAll(at now: UInt64) throws {
        var next: UInt64 = 0
        if let source {
            for table in Self.tables { try copy(table, from: source) }
            next = try reserved(in: source)
        }
        try setCounts(next, at: now)
    }

    /// Copies a table from its first row on and, where the end cannot be reached, from its last row back.
    private mutating func copy(_ table: Table, from source: Database) throws {
        let isWhole = try copy(table, from: source, "ORDER BY rowid")
        guard !isWhole else { return }
        result.tablesCutShort += 1
        _ = try copy(table, from: source, "ORDER BY rowid DESC")
    }

    private mutating func copy(_ table: Table, from source: Database, _ order: String) throws -> Bool {
        let marks = Array(repeating: "?", count: table.columns).joined(separator: ", ")
        let insert = try PreparedStatement("INSERT OR IGNORE INTO main.\(table.name) VALUES (\(marks))", on: target)
        return try Self.ignoringDamage {
            try PreparedStatement("SELECT * FROM \(table.name) \(order)", on: source).query { row in
                guard row.isIntact(table.domain, checksum: table.checksum) else { return }
                try insert.run((0..<table.columns).map { row.value(Int32($0)) })
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

    /// Reserves behind the highest number that is known; where no reservation can be read, behind the milliseconds
    /// since 2020, which no store has counted up to.
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

    /// Goes on where what is damaged cannot be read, and says whether all could; a table that the schema has lost is
    /// “no such table”.
    @discardableResult
    static func ignoringDamage(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error where error.isDamage || error.isUnknownName {
            return false
        }
    }
}
