private import CLinux
internal import Glibc
package import IPC
private import IPCModel

internal import class IPCDBus.Descriptor

/// The paths within the folder of an exported store.
enum ExportPlaces {
    static func table(_ folder: String) -> String { folder + "/store.jsonl" }
    /// The path of the table of contents until the export is complete. A folder without the final table is no export.
    static func unfinishedTable(_ folder: String) -> String { folder + "/store.jsonl.unfinished" }
    static func blobs(_ folder: String) -> String { folder + "/blobs" }

    /// The path of the value with this digest; nil if the string is not a digest, because it could lead out of the
    /// folder.
    static func blob(_ digest: String, in folder: String) -> String? {
        guard digest.hasPrefix(ContentDigest.prefix) else { return nil }
        let digits = digest.dropFirst(ContentDigest.prefix.count)
        return [UInt8](hexadecimal: String(digits))?.count == 16 ? blobs(folder) + "/" + digits : nil
    }
}

/// Writes an exported store to a folder that only the user can read. The table of contents gets its final name only
/// when everything is on disk, so that no folder looks like an export before it is complete.
package final class ExportFolder {
    private let path: String
    private let existed: Bool
    private var isFinished = false
    /// The folder, opened before any write: a descriptor that is opened after a disk error does not report that error.
    private let folder: Descriptor
    private let table: Descriptor
    private var lines: UInt64 = 0
    private var length: UInt64 = 0
    /// The total size in bytes of the files in `blobs`. Equal values share a file.
    package private(set) var blobBytes: UInt64 = 0
    package private(set) var blobs: UInt64 = 0

    /// Creates the folder. An existing one must be empty, except for the parts of an unfinished export.
    /// - Throws: ``ToolFailure`` with exit code 73.
    package init(creating path: String) throws(ToolFailure) {
        let name = "the folder \(path.quoted)"
        existed = mkdir(path, 0o700) != 0
        if existed {
            guard errno == EEXIST else { throw .cannotMake(name, errno) }
            guard !Self.isLinkOfAnotherUser(path) else {
                throw ToolFailure(
                    name: "CannotCreate", message: "\(name) is a link of another user; give the folder itself",
                    exit: .cannotCreate)
            }
            if Self.isAbandoned(path) { Self.removeParts(path) }
            guard Self.names(path)?.isEmpty ?? false else {
                throw ToolFailure(
                    name: "CannotCreate", message: "\(name) is not empty; give a new folder, or an empty one",
                    exit: .cannotCreate)
            }
        }
        guard mkdir(ExportPlaces.blobs(path), 0o700) == 0 else { throw .cannotMake(name, errno) }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .cannotMake(name, errno) }
        self.folder = Descriptor(owning: folder)
        let unfinished = ExportPlaces.unfinishedTable(path)
        let table = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard table >= 0 else { throw .cannotMake("the file \(unfinished.quoted)", errno) }
        // The lock shows other processes that this export is still being written.
        _ = flock(table, LOCK_EX | LOCK_NB)
        (self.path, self.table) = (path, Descriptor(owning: table))
        try add(.header(format: ExportRecord.format))
    }

    deinit {
        guard !isFinished else { return }
        Self.removeParts(path)
        if !existed { rmdir(path) }
    }

    /// Whether a link of another user is at this path, who could have put it into a folder such as /tmp. The kernel
    /// rejects such a link only if it is configured to (`fs.protected_symlinks`).
    private static func isLinkOfAnotherUser(_ path: String) -> Bool {
        // With a slash at its end, a path names the target of the link.
        let slashes = path.reversed().prefix { $0 == "/" }.count
        var status = stat()
        guard lstat(String(path.dropLast(slashes)), &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFLNK && status.st_uid != geteuid()
    }

    /// The names in a folder; `nil` if it cannot be read.
    private static func names(_ path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Whether a folder contains only an unfinished export that no process is still writing. The table may be missing,
    /// because an export creates it after the folder of values.
    private static func isAbandoned(_ path: String) -> Bool {
        let parts = [ExportPlaces.unfinishedTable(path), ExportPlaces.blobs(path)]
        guard let names = names(path), !names.isEmpty, names.allSatisfy({ parts.contains("\(path)/\($0)") }) else {
            return false
        }
        let values = self.names(parts[1]) ?? []
        let table = open(parts[0], O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard table >= 0 else { return errno == ENOENT && values.isEmpty }
        defer { close(table) }
        return flock(table, LOCK_EX | LOCK_NB) == 0 && values.allSatisfy(isPart)
    }

    /// Whether a file with this name in the folder of values could come from an export.
    private static func isPart(_ name: String) -> Bool {
        // While a value is incomplete, its file name has a suffix after the digest.
        ExportPlaces.blob(ContentDigest.prefix + name.prefix { $0 != "." }, in: "") != nil
    }

    private static func removeParts(_ path: String) {
        let blobs = ExportPlaces.blobs(path)
        for name in names(blobs) ?? [] where isPart(name) { unlink("\(blobs)/\(name)") }
        rmdir(blobs)
        unlink(ExportPlaces.unfinishedTable(path))
    }

    package func add(_ record: ExportRecord) throws(ToolFailure) {
        let line = Array((record.json.text + "\n").utf8)
        try writeAll(line, to: table.rawValue, named: "the folder \(path.quoted)")
        lines += 1
        length += UInt64(line.count)
    }

    /// Returns the record of a value. Writes a large value to a separate file first.
    package func value(_ representation: Representation) throws -> ExportRecord.Value {
        let type = representation.type.text
        switch representation.value {
        case .text(let text) where text.utf8.count <= ExportRecord.Value.mostInline:
            return ExportRecord.Value(type: type, content: .text(text))
        case .bytes(let bytes) where bytes.count <= ExportRecord.Value.mostInline:
            return ExportRecord.Value(type: type, content: .bytes(bytes))
        case let value:
            let digest = try ContentDigest(of: value).description
            try store(value, digest)
            var isText = false
            if case .text = value { isText = true }
            return ExportRecord.Value(
                type: type, content: .blob(digest: digest, byteCount: UInt64(value.byteCount), isText: isText))
        }
    }

    private func store(_ value: Representation.Value, _ digest: String) throws(ToolFailure) {
        guard let place = ExportPlaces.blob(digest, in: path), access(place, F_OK) != 0 else { return }
        var output = try ContentOutput.file(place)
        try output.write(value)
        blobs += 1
        blobBytes += UInt64(value.byteCount)
    }

    /// Writes the last line and gives the table its final name. When this returns, everything is on disk.
    /// - Parameter changeCount: the highest change count in the store.
    /// - Throws: ``ToolFailure`` with exit code 74 if a part did not reach the disk; the export then stays unfinished.
    package func finish(changeCount: UInt64) throws {
        let copy = fcntl(table.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw ToolFailure.cannotRead("the table that was written", errno) }
        let digest = try ContentDigest(of: ContentFile(owning: copy, byteCount: Int(length)))
        try add(.end(lines: lines, digest: digest.description, changeCount: changeCount))
        // One call flushes all files. Unlike sync(2), it reports errors.
        try flushed(clinux_sync_file_system(folder.rawValue))
        try flushed(fsync(table.rawValue))
        let place = ExportPlaces.table(path)
        guard rename(ExportPlaces.unfinishedTable(path), place) == 0 else {
            throw ToolFailure.cannotMake("the file \(place.quoted)", errno)
        }
        isFinished = true
        try flushed(fsync(folder.rawValue))
    }

    private func flushed(_ result: CInt) throws(ToolFailure) {
        guard result == 0 else { throw .cannotWrite("the folder \(path.quoted)", errno) }
    }
}
