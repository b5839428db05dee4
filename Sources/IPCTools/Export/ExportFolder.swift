private import CLinux
internal import Glibc
package import IPC
private import IPCModel

/// Where the parts of an exported store lie in its folder.
enum ExportPlaces {
    static func table(_ folder: String) -> String { folder + "/store.jsonl" }
    /// The table while it is written: without the finished one a folder is no export.
    static func unfinishedTable(_ folder: String) -> String { folder + "/store.jsonl.unfinished" }
    static func blobs(_ folder: String) -> String { folder + "/blobs" }

    /// The file of a value by its digest; nil for what is no digest, so that no name leads elsewhere.
    static func blob(_ digest: String, in folder: String) -> String? {
        guard digest.hasPrefix(ContentDigest.prefix) else { return nil }
        let digits = digest.dropFirst(ContentDigest.prefix.count)
        guard digits.utf8.count == 32,
            digits.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        return blobs(folder) + "/" + digits
    }
}

/// An exported store that is being written: a folder, which only the user may read.
///
/// The table of contents gets its name at the very end, after everything is on the disk, so a folder is a whole export or
/// none.
package final class ExportFolder {
    private let path: String
    /// Whether the folder was there before.
    private let wasThere: Bool
    private var isFinished = false
    /// The folder, open from the start: an error of the disk is told to who had it open before.
    private let folder: CInt
    private let table: CInt
    private var lines: UInt64 = 0
    private var length: UInt64 = 0
    /// Bytes of the values that have files of their own; a value that is there several times counts once.
    package private(set) var blobBytes: UInt64 = 0
    package private(set) var blobs: UInt64 = 0

    /// Makes the folder; one that exists has to be empty, but for what an export has left that did not come to its end.
    /// - Throws: ``ToolFailure`` with exit code 73.
    package init(creating path: String) throws(ToolFailure) {
        let name = "the folder \(path.quoted)"
        wasThere = mkdir(path, 0o700) != 0
        if wasThere {
            guard errno == EEXIST else { throw .cannotMake(name, errno) }
            if Self.isAbandoned(path) { Self.removeParts(path) }
            guard Self.names(path)?.isEmpty ?? false else {
                throw ToolFailure(
                    name: "CannotCreate", message: "\(name) is not empty; name a new one, or one that is empty",
                    exit: .cannotCreate)
            }
        }
        guard mkdir(ExportPlaces.blobs(path), 0o700) == 0 else { throw .cannotMake(name, errno) }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .cannotMake(name, errno) }
        let unfinished = ExportPlaces.unfinishedTable(path)
        let table = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard table >= 0 else {
            let code = errno
            close(folder)
            throw .cannotMake("the file \(unfinished.quoted)", code)
        }
        // Whoever finds the parts knows by it that somebody still writes them.
        _ = flock(table, LOCK_EX | LOCK_NB)
        (self.path, self.folder, self.table) = (path, folder, table)
        try add(.header(format: ExportRecord.format))
    }

    /// What did not come to its end leaves nothing.
    deinit {
        if !isFinished {
            Self.removeParts(path)
            if !wasThere { rmdir(path) }
        }
        close(table)
        close(folder)
    }

    /// The names in a folder; `nil` where it cannot be read.
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

    /// Whether in a folder there are the parts of an export whose writer has ended, and nothing else: the table comes behind the
    /// folder of values, and has a name that nobody else gives.
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

    /// Whether a name in the folder of values is one that an export gives.
    private static func isPart(_ name: String) -> Bool {
        name == arriving || ExportPlaces.blob(ContentDigest.prefix + name, in: "") != nil
    }

    /// A value before it has its name.
    private static let arriving = "arriving"

    /// Takes the parts of an export away that has not come to its end.
    private static func removeParts(_ path: String) {
        let blobs = ExportPlaces.blobs(path)
        for name in names(blobs) ?? [] where isPart(name) { unlink("\(blobs)/\(name)") }
        rmdir(blobs)
        unlink(ExportPlaces.unfinishedTable(path))
    }

    /// Adds a line.
    package func add(_ record: ExportRecord) throws(ToolFailure) {
        let line = Array((record.json.text + "\n").utf8)
        try Self.write(line, to: table, path)
        lines += 1
        length += UInt64(line.count)
    }

    /// Puts a value into a line or a file of its own.
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
        let arriving = ExportPlaces.blobs(path) + "/" + Self.arriving
        do {
            var output = try ContentOutput.file(arriving)
            try output.write(value)
        }
        guard rename(arriving, place) == 0 else { throw .cannotMake("the file \(place.quoted)", errno) }
        blobs += 1
        blobBytes += UInt64(value.byteCount)
    }

    /// Writes the last line and gives the table its name. Everything is on the disk when this returns.
    /// - Parameter changeCount: the greatest one that the store has given out.
    /// - Throws: ``ToolFailure`` with exit code 74 where something did not reach the disk; the folder is no export then.
    package func finish(changeCount: UInt64) throws {
        let copy = fcntl(table, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw ToolFailure.cannotRead("the table that was written", errno) }
        let digest = try ContentDigest(of: ContentFile(owning: copy, byteCount: Int(length)))
        try add(.end(ExportRecord.End(lines: lines, digest: digest.description, changeCount: changeCount)))
        // One call for all files, however many there are; sync(2) would tell no error.
        try flushed(clinux_sync_file_system(folder))
        try flushed(fsync(table))
        let place = ExportPlaces.table(path)
        guard rename(ExportPlaces.unfinishedTable(path), place) == 0 else {
            throw ToolFailure.cannotMake("the file \(place.quoted)", errno)
        }
        isFinished = true
        try flushed(fsync(folder))
    }

    private func flushed(_ result: CInt) throws(ToolFailure) {
        guard result == 0 else { throw .cannotWrite("the folder \(path.quoted)", errno) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt, _ path: String) throws(ToolFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .cannotWrite("the folder \(path.quoted)", errno)
            }
        }
    }
}
