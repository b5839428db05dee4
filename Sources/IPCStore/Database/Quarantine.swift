internal import Glibc

/// Renames a damaged database, which is no longer used but is never deleted, and salvages its rows.
struct Quarantine {
    private let directory: StoreDirectory
    private let place: String

    init(_ directory: StoreDirectory, at now: UInt64) {
        self.directory = directory
        place = Self.freePlace(directory.database + ".damaged-\(now)")
    }

    /// The folder for large values whose rows are lost.
    var orphans: String { place + "-blobs" }

    /// Renames the damaged database and its log, and returns the new path. If the broker exits before ``finish()``, the
    /// next start renames them back; otherwise it would remove the blobs of rows that the new database still lacks.
    func move() throws -> String {
        try fill()
        try mark()
        for suffix in ["-wal", ""] {
            guard Glibc.rename(directory.database + suffix, place + suffix) == 0 || errno == ENOENT else {
                throw StoreDirectory.refusal(directory.database + suffix, StoreDirectory.systemError)
            }
        }
        try directory.synchronize()
        return place
    }

    /// Fills a missing or empty database with a page of zeros. SQLite would delete the log of an empty database instead
    /// of reading it. If the database were missing, no file would be renamed, and ``restore(in:)`` could not tell the
    /// new database from the old one.
    private func fill() throws {
        let descriptor = try directory.openFile(directory.database)
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            status.st_size > 0 || ftruncate(descriptor, off_t(Self.pageSize)) == 0
        else { throw StoreDirectory.refusal(directory.database, StoreDirectory.systemError) }
    }

    /// Makes the new database permanent. Call this once the rows are salvaged.
    func finish() throws {
        let marker = Self.marker(directory)
        // If the marker stayed, the next start would put back the damaged database, and all later writes would be lost.
        guard unlink(marker) == 0 else { throw StoreDirectory.refusal(marker, StoreDirectory.systemError) }
        try directory.synchronize()
    }

    /// Renames the damaged database and its log back if ``finish()`` was not called. Can be repeated after any crash.
    static func restore(in directory: StoreDirectory) throws {
        let marker = marker(directory)
        try directory.checkUnlessMissing(marker)
        guard let name = readName(marker) else { return }
        let place = directory.path + "/" + name
        // If the damaged database was not renamed back yet, the log at the original path is that of the new database.
        if access(place, F_OK) == 0 {
            unlink(directory.log)
            try rename(place, directory.database)
        }
        if access(place + "-wal", F_OK) == 0 { try rename(place + "-wal", directory.log) }
        try directory.synchronize()
        unlink(marker)
        try directory.synchronize()
    }

    private static func marker(_ directory: StoreDirectory) -> String { directory.database + ".replacing" }

    /// Durably writes a marker file that contains the name to which the database is about to be renamed.
    private func mark() throws {
        let file = Self.marker(directory)
        let descriptor = try directory.openFile(file)
        defer { Glibc.close(descriptor) }
        let name = Array((place.split(separator: "/").last ?? "").utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, name, name.count, 0) == name.count,
            fsync(descriptor) == 0
        else { throw StoreDirectory.refusal(file, StoreDirectory.systemError) }
        try directory.synchronize()
    }

    /// The name that ``mark()`` wrote; `nil` if the marker is missing or incomplete, in which case nothing was renamed.
    private static func readName(_ marker: String) -> String? {
        guard let bytes = StoreDirectory.read(marker, atMost: 255), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func rename(_ old: String, _ new: String) throws {
        guard Glibc.rename(old, new) == 0 else { throw StoreDirectory.refusal(old, StoreDirectory.systemError) }
    }

    /// Copies every row that passes its checksum into a new store, in one transaction. So a flipped bit destroys at
    /// most the pasteboard that it hits (I5), even if it damages the structure of the file. See ``Salvage``.
    func salvage(into database: Database, at now: UInt64) throws -> OpeningReport.Salvage {
        let copy = directory.database + ".salvage"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
        for suffix in ["", "-wal"] { try Self.copy(place + suffix, to: copy + suffix) }
        return try Salvage.run(from: copy, into: database, at: now)
    }

    /// Copies a file, if it exists.
    private static func copy(_ source: String, to target: String) throws {
        let input = Glibc.open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard input >= 0 else { return }
        defer { Glibc.close(input) }
        let output = Glibc.open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
        defer { Glibc.close(output) }
        var status = stat()
        guard fstat(input, &status) == 0 else { throw StoreDirectory.refusal(source, StoreDirectory.systemError) }
        let isWhole = readablePages(of: Int(status.st_size)) { page, position in
            pread(input, page.baseAddress, page.count, off_t(position))
        } _: { page, position in
            pwrite(output, page.baseAddress, page.count, off_t(position)) == page.count
        }
        guard isWhole else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
    }

    /// Copies a file page by page. An unreadable page becomes zeros, which SQLite treats as damage.
    /// - Returns: false if a write failed.
    static func readablePages(
        of size: Int, _ read: (UnsafeMutableRawBufferPointer, Int) -> Int,
        _ write: (UnsafeRawBufferPointer, Int) -> Bool
    ) -> Bool {
        var page = [UInt8](repeating: 0, count: pageSize)
        for place in stride(from: 0, to: size, by: pageSize) {
            let count = min(pageSize, size - place)
            let isWritten = page.withUnsafeMutableBytes { page in
                let part = UnsafeMutableRawBufferPointer(rebasing: page[..<count])
                if read(part, place) != count { part.initializeMemory(as: UInt8.self, repeating: 0) }
                return write(UnsafeRawBufferPointer(part), place)
            }
            guard isWritten else { return false }
        }
        return true
    }

    private static let pageSize = 4_096

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
