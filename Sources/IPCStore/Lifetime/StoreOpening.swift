internal import Glibc

package struct OpeningReport: Sendable, Hashable {
    /// Whether the store was closed cleanly the last time. A new store counts as closed cleanly.
    package var wasClean = true
    /// The path to which a damaged database was moved. This and the next two properties are `nil` if none was damaged.
    package var quarantine: String?
    /// A description of the damage.
    package var damage: String?
    package var salvaged: Salvage?
    /// The folder for large values without a row, because the database that had their rows was damaged or is missing.
    /// `nil` if they are left over from a crash, and can be removed.
    var orphans: String?

    package struct Salvage: Sendable, Hashable {
        /// The number of rows that passed their checksums and were copied to the new database.
        package var rows = 0
        /// The number of tables that could not be read to the end.
        package var tablesCutShort = 0
    }
}

struct StoreOpening {
    let configuration: StoreConfiguration
    let directory: StoreDirectory

    init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        directory = try StoreDirectory(configuration.directory)
    }

    /// - Throws: an error if the database is damaged, belongs to another program, or was written by a newer broker.
    func openDatabase() throws -> (Database, OpeningReport) {
        try Quarantine.restore(in: directory)
        for file in directory.databaseFiles { try directory.checkUnlessMissing(file) }
        var report = OpeningReport()
        if try !refuseForeignAndNewer() {
            report.orphans = Quarantine(directory, at: configuration.now()).orphans
        }
        return (try open(&report), report)
    }

    /// Quarantines a damaged database, and salvages its rows into a new one. If that fails, moves the damaged one back.
    func replaceDatabase(after damage: any Error) throws -> (Database, OpeningReport) {
        let quarantine = Quarantine(directory, at: configuration.now())
        var report = OpeningReport()
        do {
            report.quarantine = try quarantine.move()
            report.orphans = quarantine.orphans
            let database = try open(&report)
            report.salvaged = try salvage(quarantine, into: database)
            report.wasClean = false
            report.damage = String(describing: damage)
            return (database, report)
        } catch {
            try Quarantine.restore(in: directory)
            throw error
        }
    }

    /// Salvages the rows. If that fails, closes the new database before the caller puts back the damaged one.
    private func salvage(_ quarantine: Quarantine, into database: Database) throws -> OpeningReport.Salvage {
        do {
            let salvaged = try quarantine.salvage(into: database, at: configuration.now())
            try quarantine.finish()
            return salvaged
        } catch {
            try? database.close()
            throw error
        }
    }

    /// Whether the database's header can be read. If so, an unreadable page is treated like a damaged one: only that
    /// page is lost, and the store can still start.
    var canReadHeader: Bool { StoreDirectory.read(directory.database, atMost: 100)?.count == 100 }

    /// Rejects a database of another program or of a newer broker, before anything is written to its files (I25).
    /// - Returns: whether there is a database.
    private func refuseForeignAndNewer() throws -> Bool {
        switch DatabaseHeader.inspect(directory) {
        case .nothing: return false
        case .noDatabase: throw DamagedFile("the file is not an SQLite database")
        case .foreign: throw StoreError.foreign(file: directory.database)
        case .store(let version) where version > Migrations.latest, .log(let version) where version > Migrations.latest:
            throw StoreError.newer(file: directory.database, version: version, supported: Migrations.latest)
        // SQLite would delete a log without its database.
        case .log: throw DamagedFile("the database is missing, but its write-ahead log is there")
        case .store: return true
        }
    }

    private func open(_ report: inout OpeningReport) throws -> Database {
        // Checks the database file. If it is missing, creates it here instead of leaving that to SQLite.
        Glibc.close(try directory.openFile(directory.database))
        let database = try Database(directory.database)
        do {
            try StoreSettings(waitsForDisk: configuration.waitsForDisk).apply(to: database)
            report.wasClean = try prepare(database)
            try directory.synchronize()
            return database
        } catch {
            // Close the database before its file is renamed or another process opens it.
            try? database.closeKeepingLog()
            throw error
        }
    }

    /// Migrates and checks the tables, and returns whether the last run stopped cleanly.
    private func prepare(_ database: Database) throws -> Bool {
        try Migrations.run(on: database)
        let marks = try Self.endMarks(database)
        let wasClean = !marks.isEmpty && marks.allSatisfy { $0 }
        try Self.check(database, afterCleanStop: wasClean)
        guard !marks.isEmpty else { throw DamagedFile("both reservations of change counts are damaged") }
        return wasClean
    }

    /// For each intact row of `reservation`, whether it marks a clean stop.
    private static func endMarks(_ database: Database) throws -> [Bool] {
        var marks: [Bool] = []
        try PreparedStatement("SELECT * FROM main.reservation", on: database).query { row in
            if row.isIntact(.reservation, checksum: 5) { marks.append(row.integer(4) == 1) }
        }
        return marks
    }

    /// Checks the structure of the whole file. After a clean stop, checks only the table `pasteboard` with its indexes,
    /// which takes half a millisecond for a thousand pasteboards. “PRAGMA quick_check” would not compare indexes with
    /// their tables, and a pasteboard that is missing from an index cannot be found by name.
    private static func check(_ database: Database, afterCleanStop: Bool) throws {
        let extent = afterCleanStop ? "pasteboard" : "3"
        let findings = try database.texts("PRAGMA main.integrity_check(\(extent))")
        guard findings == ["ok"] else { throw DamagedFile(findings.joined(separator: "; ")) }
    }
}
