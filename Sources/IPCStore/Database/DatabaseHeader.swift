internal import Glibc

/// The header of a database, read without SQLite, which may write as soon as it opens the file.
/// See “Database File Format”, §1.3 (header), §1.6 (the number of cells in the first page, which has a cell for each
/// table) and §4.1 (write-ahead log).
struct DatabaseHeader {
    /// The `application_id` of a store: “sIPC”.
    static let applicationID: UInt32 = 0x7349_5043

    enum Finding: Equatable {
        /// There is no file, or it is empty, and there is no log either.
        case nothing
        /// The log has content, but its database is missing or empty. The version is the highest one in the log.
        case log(version: UInt32)
        case noDatabase
        case foreign
        /// A store's database. The version is the highest one in the database file and its log.
        case store(version: UInt32)
    }

    static func inspect(_ directory: StoreDirectory) -> Finding {
        guard let header = StoreDirectory.read(directory.database, atMost: 108), !header.isEmpty else {
            let isLost = isEmpty(directory.database) && !isEmpty(directory.log)
            return isLost ? .log(version: LogVersion.highest(in: directory.log)) : .nothing
        }
        guard header.count == 108, header.starts(with: "SQLite format 3\0".utf8) else { return .noDatabase }
        // Before its first migration, a store has no application id, no version and no table.
        let mark = header.number(at: 68)
        let isEmpty = header.number(at: 60) == 0 && header[103] == 0 && header[104] == 0
        guard mark == applicationID || mark == 0 && isEmpty else { return .foreign }
        return .store(version: max(header.number(at: 60), LogVersion.highest(in: directory.log)))
    }

    /// Whether a file is missing or has no bytes. False for a file that cannot be examined.
    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_size == 0 : errno == ENOENT
    }
}

extension [UInt8] {
    /// The four-byte number at an offset, most significant byte first.
    func number(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
