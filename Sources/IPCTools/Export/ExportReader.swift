internal import Glibc
package import IPC
private import IPCModel

/// Reads an exported store. Call ``verify(_:)`` first: it rejects the whole folder if any part was changed or
/// truncated.
package struct ExportReader {
    private let path: String
    private let table: ContentFile
    private let lines: UInt64
    private let digest: String
    /// The highest change count in the exported store.
    package let changeCount: UInt64
    /// The length in bytes of the table without its last line.
    private let length: Int
    /// The number of bytes read from the table so far.
    private var place = 0
    /// The bytes that were read from the table but not yet parsed.
    private var block: ArraySlice<UInt8> = []
    /// The start of a line that continues in the next block.
    private var open: [UInt8] = []

    /// Opens the folder and finds the last line of its table.
    /// - Throws: ``ToolFailure`` with exit code 66 if there is no export, 65 if it is damaged.
    package init(_ path: String) throws(ToolFailure) {
        let place = ExportPlaces.table(path)
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        let table = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard table >= 0 else {
            let code = errno
            throw ToolFailure(
                name: "NoSuchFile",
                message: "cannot open the export \(place.quoted): \(describe(code)); give a folder that "
                    + "'ipc-client board export' has written",
                exit: .noInput)
        }
        self.table = ContentFile(owning: table)
        guard ContentFile.isRegular(table) else { throw .damagedExport(place, "it is not a regular file") }
        guard let last = Self.lastLine(self.table), case .end(let lines, let digest, let changeCount) = last.record
        else {
            throw .damagedExport(
                place,
                "its last line is not the end of an export: the file was truncated, never finished, or extended")
        }
        (self.path, length) = (path, last.start)
        (self.lines, self.digest, self.changeCount) = (lines, digest, changeCount)
    }

    private static func lastLine(_ table: ContentFile) -> (start: Int, record: ExportRecord?)? {
        let size = table.byteCount
        guard let tail = try? table.bytes(in: max(0, size - 4_096)..<size), tail.last == UInt8(ascii: "\n"),
            let end = tail.dropLast().lastIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let line = tail[(end + 1)...].dropLast()
        guard let json = try? JSONValue(parsing: line) else { return nil }
        return (size - tail.count + end + 1, ExportRecord(json))
    }

    /// Checks the digest of the table, every line, and the length and digest of every file that a line names.
    /// - Parameter look: called with every record except the last, in order.
    package func verify(_ look: (ExportRecord) throws -> Void) throws {
        let place = ExportPlaces.table(path)
        let stream = try ContentDigestStream()
        try table.readPieces(in: 0..<length) { stream.add($0) }
        let actual = stream.digest.description
        guard actual == digest else {
            throw ToolFailure.damagedExport(place, "its digest is \(actual) instead of \(digest)")
        }
        var checked: Set<String> = []
        var count: UInt64 = 0
        var reader = self
        while let record = try reader.next() {
            count += 1
            if count == 1, record != .header(format: ExportRecord.format) {
                guard case .header(let format) = record else {
                    throw ToolFailure.damagedExport(place, "its first line is missing")
                }
                throw ToolFailure.damagedExport(
                    place, "its format is \(format), but this program reads \(ExportRecord.format); use a newer one")
            }
            if case .version(let version) = record {
                for value in version.items.joined() {
                    guard case .blob(let digest, _, _) = value.content, checked.insert(digest).inserted else {
                        continue
                    }
                    _ = try blob(value, verifying: true)
                }
            }
            try look(record)
        }
        guard count == lines else {
            throw ToolFailure.damagedExport(place, "it has \(count) lines instead of \(lines)")
        }
    }

    /// Reads the next record; nil if only the last line is left.
    package mutating func next() throws(ToolFailure) -> ExportRecord? {
        while true {
            if let end = block.firstIndex(of: UInt8(ascii: "\n")) {
                let line = open + block[..<end]
                open = []
                block = block[(end + 1)...]
                return try record(line)
            }
            open += block
            block = []
            guard place < length else { return nil }
            let part = place..<min(length, place + 1 << 18)
            guard let read = try? table.bytes(in: part) else {
                throw .damagedExport(ExportPlaces.table(path), "it ends too early")
            }
            place = part.upperBound
            block = read[...]
        }
    }

    private func record(_ line: [UInt8]) throws(ToolFailure) -> ExportRecord {
        do throws(JSONError) {
            if let record = ExportRecord(try JSONValue(parsing: line)) { return record }
        } catch {
            throw .damagedExport(ExportPlaces.table(path), "\(error)")
        }
        let text = String(decoding: line, as: UTF8.self)
        throw .damagedExport(ExportPlaces.table(path), "a line is not a record: \(text.quoted)")
    }

    /// Returns the items of a version. Large values are open files.
    package func items(of version: ExportRecord.Version) throws -> [PasteboardItem] {
        try version.items.map { row in
            let representations = try row.map { value in
                let content: Representation.Value =
                    switch value.content {
                    case .text(let text): .text(text)
                    case .bytes(let bytes): .bytes(bytes)
                    case .blob: try blob(value, verifying: false)
                    }
                return Representation(type: try ContentType(value.type), value: content)
            }
            return try PasteboardItem(representations)
        }
    }

    /// Opens the file of a value. Reads text and short values into memory, because the broker also returned these
    /// without a file when they were exported.
    private func blob(_ value: ExportRecord.Value, verifying: Bool) throws -> Representation.Value {
        guard case .blob(let digest, let byteCount, let isText) = value.content else { return .bytes([]) }
        guard let place = ExportPlaces.blob(digest, in: path) else {
            throw ToolFailure.damagedExport(ExportPlaces.table(path), "\(digest.quoted) is not a digest")
        }
        let descriptor = Glibc.open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolFailure.damagedExport(place, "it cannot be opened: \(describe(errno))") }
        let file = ContentFile(owning: descriptor)
        guard ContentFile.isRegular(descriptor) else {
            throw ToolFailure.damagedExport(place, "it is not a regular file")
        }
        guard UInt64(file.byteCount) == byteCount else {
            throw ToolFailure.damagedExport(place, "it has \(file.byteCount) bytes instead of \(byteCount)")
        }
        if verifying {
            let actual = try ContentDigest(of: file).description
            guard actual == digest else {
                throw ToolFailure.damagedExport(place, "it has the digest \(actual) instead of \(digest)")
            }
        }
        guard byteCount <= Limits().inlineValueBytes || isText else { return .file(file) }
        let bytes = try file.bytes()
        guard isText else { return .bytes(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolFailure.damagedExport(place, "it is marked as text, but is not UTF-8")
        }
        return .text(text)
    }
}

extension ToolFailure {
    package static func damagedExport(_ place: String, _ reason: String) -> ToolFailure {
        ToolFailure(
            name: "PayloadInvalid",
            message: "the export is damaged: \(place.quoted): \(reason)", exit: .dataError)
    }
}
