internal import Glibc

/// Where a damaged database is put, never deleted, and what can be brought over from it.
struct Quarantine {
    private let directory: StoreDirectory
    private let place: String

    init(_ directory: StoreDirectory, at now: UInt64) {
        self.directory = directory
        place = Self.freePlace(directory.database + ".damaged-\(now)")
    }

    /// Renames the database and its log, and gives the new path. Until ``finish()``, each start restores them: a new
    /// database without the saved rows would be taken for the whole store, and its blobs for orphans.
    func move() throws -> String {
        try mark()
        for suffix in ["-wal", ""] {
            guard Glibc.rename(directory.database + suffix, place + suffix) == 0 || errno == ENOENT else {
                throw StoreDirectory.refusal(directory.database + suffix, StoreDirectory.systemError)
            }
        }
        try directory.synchronize()
        return place
    }

    /// The rows are saved: the new database stays.
    func finish() throws {
        let marker = Self.marker(directory)
        // With it the next start would restore the damaged database over what is written from now on.
        guard unlink(marker) == 0 else { throw StoreDirectory.refusal(marker, StoreDirectory.systemError) }
        try directory.synchronize()
    }

    /// Renames the database and its log back if their replacement did not come to its end. It can be repeated at any point.
    static func restore(in directory: StoreDirectory) throws {
        let marker = marker(directory)
        try directory.checkUnlessMissing(marker)
        guard let name = readName(marker) else { return }
        let place = directory.path + "/" + name
        // The log beside the database belongs to the new one, unless the old database was not moved, or is back already.
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

    /// Notes durably where the database is going to be.
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

    /// The name that ``mark()`` wrote; nil where there is no file, or where it was not written to its end: then nothing was
    /// moved.
    private static func readName(_ marker: String) -> String? {
        let descriptor = Glibc.open(marker, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 255)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return count == 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func rename(_ old: String, _ new: String) throws {
        guard Glibc.rename(old, new) == 0 else { throw StoreDirectory.refusal(old, StoreDirectory.systemError) }
    }

    /// Copies every row that passes its checksum into a new store, in one transaction.
    ///
    /// A flipped bit must not cost a pasteboard that it does not hit (I5), also where it hits the structure of the
    /// file. The change counts go on behind everything that is found, or behind the clock where they cannot be read.
    func salvage(into database: Database, at now: UInt64) throws -> OpeningReport.Salvage {
        let copy = directory.database + ".salvage"
        defer { remove(copy) }
        for suffix in ["", "-wal"] { try Self.copy(place + suffix, to: copy + suffix) }
        return try DamagedDatabase(path: copy).salvage(into: database, at: now)
    }

    private func remove(_ copy: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
    }

    /// Copies a file that may be missing; the corresponding C function is `sendfile`.
    private static func copy(_ source: String, to target: String) throws {
        let input = Glibc.open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard input >= 0 else { return }
        defer { Glibc.close(input) }
        let output = Glibc.open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
        defer { Glibc.close(output) }
        var count = 1
        while count > 0 { count = sendfile(output, input, nil, 1 << 24) }
        if count == 0 { return }
        guard errno == EIO else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
        try copyReadable(sizeOf: input, to: output, target) { pread(input, $0.baseAddress, $0.count, off_t($1)) }
    }

    private static func copyReadable(
        sizeOf input: CInt, to output: CInt, _ target: String,
        _ read: (UnsafeMutableRawBufferPointer, Int) -> Int
    ) throws {
        var status = stat()
        guard fstat(input, &status) == 0 else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
        let isWhole = readablePages(of: Int(status.st_size), read) { bytes, place in
            pwrite(output, bytes.baseAddress, bytes.count, off_t(place)) == bytes.count
        }
        guard isWhole else { throw StoreDirectory.refusal(target, StoreDirectory.systemError) }
    }

    /// Reads a file page by page; a page that cannot be read counts as zeros, which SQLite takes for a damaged one.
    /// - Returns: whether all could be written.
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
