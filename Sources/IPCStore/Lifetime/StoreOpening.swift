internal import Glibc

/// What was found when the store was opened.
package struct OpeningReport: Sendable, Hashable {
    /// Whether the last run ended in good order; true for a new store.
    package var wasClean = true
    /// Where a damaged file was put away; nil where none was damaged.
    package var quarantine: String?
    /// What the check of the damaged file said.
    package var damage: String?
    /// What could be brought over from the damaged file; nil where none was damaged.
    package var salvaged: Salvage?

    /// How much was brought over from a damaged file.
    package struct Salvage: Sendable, Hashable {
        /// Rows that passed their checksums and are in the new file.
        package var rows = 0
        /// Tables whose end could not be reached.
        package var tablesCutShort = 0

        package init() {}
    }

    package init() {}
}

/// The steps from a directory to an open database.
struct StoreOpening {
    let configuration: StoreConfiguration
    let directory: StoreDirectory

    /// Takes the directory.
    init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        directory = try StoreDirectory(configuration.directory)
    }

    /// Opens the database; an error where it is damaged, in use by others, or newer.
    func openDatabase() throws -> (Database, OpeningReport) {
        try Quarantine.restore(in: directory)
        try refuseForeignAndNewer()
        var report = OpeningReport()
        return (try open(&report), report)
    }

    /// Puts a damaged database away and begins a new one with what can be saved. If that fails, the damaged one is back in its
    /// place.
    func replaceDatabase(after damage: any Error) throws -> (Database, OpeningReport) {
        let quarantine = Quarantine(directory, at: configuration.now())
        var report = OpeningReport()
        do {
            report.quarantine = try quarantine.move()
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

    /// Saves the rows; closes the new database if that fails, before its file is removed.
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

    /// Whether the beginning of the file can be read: a page that cannot then costs that page, as a damaged one does, and
    /// not the start.
    var canReadHeader: Bool {
        let file = Glibc.open(directory.database, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        return pread(file, &header, header.count, 0) == header.count
    }

    /// Looks at the files before anything may write to them (I25).
    private func refuseForeignAndNewer() throws {
        switch DatabaseHeader.inspect(directory) {
        case .nothing: return
        case .noDatabase: throw DamagedFile("the file is no SQLite database")
        case .foreign: throw StoreError.foreign(file: directory.database)
        case .store(let version) where version > Migrations.latest:
            throw StoreError.newer(file: directory.database, version: version, supported: Migrations.latest)
        case .store: return
        }
    }

    private func open(_ report: inout OpeningReport) throws -> Database {
        try directory.prepareFile(directory.database)
        try directory.checkUnlessMissing(directory.log)
        let database = try Database(directory.database)
        do {
            try StoreSettings(waitsForDisk: configuration.waitsForDisk).apply(to: database)
            report.wasClean = try prepare(database)
            try directory.synchronize()
            return database
        } catch {
            // Before the file is renamed, or looked at by somebody else.
            try? database.close()
            throw error
        }
    }

    /// Brings the tables up to date, and gives whether the last run ended in good order.
    private func prepare(_ database: Database) throws -> Bool {
        try Migrations.run(on: database)
        let marks = try Self.endMarks(database)
        let wasClean = !marks.isEmpty && marks.allSatisfy { $0 }
        try Self.check(database, afterCleanStop: wasClean)
        guard !marks.isEmpty else { throw DamagedFile("both reservations of change counts are damaged") }
        return wasClean
    }

    /// The marks of the last run's end, one for each reservation that can be read.
    private static func endMarks(_ database: Database) throws -> [Bool] {
        var marks: [Bool] = []
        try PreparedStatement("SELECT * FROM main.reservation", on: database).query { row in
            if row.isIntact(.reservation, checksum: 5) { marks.append(row.integer(4) == 1) }
        }
        return marks
    }

    /// Checks the structure of the whole file, or after a stop in good order of the pasteboards and their names alone,
    /// which takes half a millisecond for a thousand of them.
    ///
    /// “PRAGMA quick_check” would take an index on trust that does not fit its table, and a pasteboard that its index
    /// does not name cannot be found; the indexes are few and small.
    private static func check(_ database: Database, afterCleanStop: Bool) throws {
        let extent = afterCleanStop ? "pasteboard" : "3"
        let findings = try database.texts("PRAGMA main.integrity_check(\(extent))")
        guard findings == ["ok"] else { throw DamagedFile(findings.joined(separator: "; ")) }
    }
}
