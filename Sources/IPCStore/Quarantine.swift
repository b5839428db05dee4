internal import GRDB
internal import Glibc

/// Where a damaged database is put, never deleted, and what can be brought over from it.
struct Quarantine {
    private let directory: StoreDirectory
    private let place: String

    init(_ directory: StoreDirectory, at now: UInt64) {
        self.directory = directory
        place = Self.freePlace(directory.database + ".damaged-\(now)")
    }

    /// Renames the database and its log, and gives the new path.
    func move() throws -> String {
        for suffix in ["-wal", ""] {
            guard rename(directory.database + suffix, place + suffix) == 0 || errno == ENOENT else {
                throw StoreDirectory.refusal(directory.database + suffix, StoreDirectory.systemError)
            }
        }
        try directory.synchronize()
        return place
    }

    /// Copies every row that passes its checksum into a new store, in one transaction.
    ///
    /// A flipped bit must not cost a pasteboard that it does not hit (I5), also where it hits the structure of the
    /// file. The change counts go on behind everything that is found, or behind the clock where they cannot be read.
    func salvage(into database: DatabaseQueue, at now: UInt64) throws -> OpeningReport.Salvage {
        try database.writeWithoutTransaction { database in
            do {
                try database.execute(sql: "ATTACH DATABASE ? AS damaged", arguments: [place])
            } catch  where error.isDamage {
                // Nothing can be read; SQLite attaches what it cannot read all the same.
            }
            defer { try? database.execute(sql: "DETACH DATABASE damaged") }
            var salvage = Salvage(database)
            try database.inTransaction(.immediate) {
                try salvage.copyAll(at: now)
                return .commit
            }
            return salvage.result
        }
    }

    private static func freePlace(_ path: String) -> String {
        var status = stat()
        var candidate = path
        var number = 1
        while lstat(candidate, &status) == 0 {
            candidate = path + "-\(number)"
            number += 1
        }
        return candidate
    }
}
