internal import Glibc

/// What the files of a database say about themselves, read without SQLite, which may write as soon as it opens them.
///
/// “Database File Format”, §1.3 (header) and §4.1 (write-ahead log).
struct DatabaseHeader {
    /// The bytes that mark a file of ours: `application_id`, “sIPC”.
    static let applicationID: UInt32 = 0x7349_5043

    /// What stands in a store's directory.
    enum Finding: Equatable {
        /// There is no file, or an empty one.
        case nothing
        /// A file that is no database at all.
        case noDatabase
        /// A database of another program.
        case foreign
        /// A store; the highest version in file and log.
        case store(version: UInt32)
    }

    /// Looks at the database and its log.
    static func inspect(_ directory: StoreDirectory) -> Finding {
        guard let header = read(directory.database, count: 100), !header.isEmpty else { return .nothing }
        guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else { return .noDatabase }
        // A database that was made and never written to by a migration bears no mark yet.
        let mark = header.number(at: 68)
        guard mark == applicationID || mark == 0 && header.number(at: 60) == 0 else { return .foreign }
        return .store(version: max(header.number(at: 60), versionInLog(directory.log)))
    }

    /// The highest `user_version` of the first pages that stand in the log; 0 where there is none.
    private static func versionInLog(_ path: String) -> UInt32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { Glibc.close(descriptor) }
        guard let log = read(descriptor, at: 0, count: 32), log.count == 32 else { return 0 }
        let pageSize = Int(log.number(at: 8))
        guard (512...65_536).contains(pageSize) else { return 0 }
        var version: UInt32 = 0
        var position = 32
        while let frame = read(descriptor, at: position, count: 24 + 64), frame.count == 88 {
            // Frames of an earlier round of the log have other salts.
            guard frame[8..<16].elementsEqual(log[16..<24]) else { break }
            if frame.number(at: 0) == 1 { version = max(version, frame.number(at: 24 + 60)) }
            position += 24 + pageSize
        }
        return version
    }

    private static func read(_ path: String, count: Int) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        return read(descriptor, at: 0, count: count)
    }

    private static func read(_ descriptor: Int32, at position: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(position)) }
        return length < 0 ? nil : Array(bytes.prefix(length))
    }
}

extension [UInt8] {
    /// The four bytes from a place on, highest first.
    fileprivate func number(at place: Int) -> UInt32 {
        self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
