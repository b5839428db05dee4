internal import IPCModel

/// The content of a sensitive version. It is not in a database, but packed into memory that is wiped after use. A
/// packed representation begins with four 8-byte numbers, lowest byte first: its item, its kind, and the lengths of its
/// type and value. The digest, type and value follow. If the value is a file, it is not packed.
final class SensitiveContent {
    let itemCount: Int
    let representationCount: Int
    let byteCount: UInt64
    let promisers: Promisers
    private let memory: LockedMemory
    private let files: [Int: ContentFile]

    init(_ entries: [RepresentationEntry], items: Int, promisers: Promisers) throws {
        (itemCount, representationCount, self.promisers) = (items, entries.count, promisers)
        byteCount = entries.reduce(0) { $0 + $1.row.size }
        var files: [Int: ContentFile] = [:]
        for (ordinal, entry) in entries.enumerated() {
            guard case .file(let file)? = entry.value else { continue }
            guard file.taken?.place == .memory else { throw IntakeOutdated(toDisk: false) }
            files[ordinal] = file
        }
        self.files = files
        memory = try LockedMemory(byteCount: entries.reduce(0) { $0 + Self.length(of: $1) }) { bytes in
            var writer = Writer(rest: bytes)
            for entry in entries { writer.write(entry) }
        }
    }

    var usage: Usage { Usage(items: UInt64(itemCount), bytes: byteCount) }

    /// The representations. Their files share the descriptors of this content.
    var entries: [RepresentationEntry] {
        var reader = Reader(rest: memory.bytes[...])
        return (0..<representationCount).map { reader.entry(files[$0]) }
    }

    private static let headLength = 4 * 8 + 16

    private static func length(of entry: RepresentationEntry) -> Int {
        headLength + entry.row.type.utf8.count + (entry.value?.packedCount ?? 0)
    }

    private struct Writer {
        var rest: UnsafeMutableRawBufferPointer

        mutating func write(_ entry: RepresentationEntry) {
            for number in [UInt64(entry.row.item), UInt64(entry.row.kind), UInt64(entry.row.type.utf8.count)] {
                write(number)
            }
            write(UInt64(entry.value?.packedCount ?? 0))
            entry.row.digest.bytes.withUnsafeBytes { write($0) }
            var type = entry.row.type
            type.withUTF8 { write(UnsafeRawBufferPointer($0)) }
            switch entry.value {
            case .text(var text): text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
            case .bytes(let bytes): bytes.withUnsafeBytes { write($0) }
            case .file, nil: break
            }
        }

        private mutating func write(_ number: UInt64) {
            withUnsafeBytes(of: number.littleEndian) { write($0) }
        }

        private mutating func write(_ bytes: UnsafeRawBufferPointer) {
            rest.copyMemory(from: bytes)
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes.count...])
        }
    }

    private struct Reader {
        var rest: Slice<UnsafeRawBufferPointer>

        mutating func entry(_ file: ContentFile?) -> RepresentationEntry {
            let (item, kind) = (Int(number()), Int64(number()))
            let (typeLength, length) = (Int(number()), Int(number()))
            let digest = ContentDigest(stored: UnsafeRawBufferPointer(rebasing: bytes(16))) ?? ContentDigest(of: [])
            let type = String(decoding: bytes(typeLength), as: UTF8.self)
            let value = bytes(length)
            let content: Representation.Value? =
                switch kind {
                case RepresentationRow.promise: nil
                case 0: .text(String(decoding: value, as: UTF8.self))
                default: file.map { .file($0) } ?? .bytes(Array(value))
                }
            let row = RepresentationRow(
                item: item, kind: kind, type: type, size: UInt64(file?.byteCount ?? length), digest: digest)
            return RepresentationEntry(row: row, value: content)
        }

        private mutating func number() -> UInt64 {
            UInt64(littleEndian: UnsafeRawBufferPointer(rebasing: bytes(8)).loadUnaligned(as: UInt64.self))
        }

        private mutating func bytes(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }
}

extension Representation.Value {
    /// The number of bytes that the value takes in packed content.
    fileprivate var packedCount: Int { if case .file = self { 0 } else { byteCount } }
}

/// The contents of sensitive versions, by change count. Removed content is wiped once no undo can restore it.
final class SensitiveContents {
    private let transaction: GroupTransaction
    private let usage: UsageTally
    private var contents: [UInt64: SensitiveContent] = [:]

    init(_ transaction: GroupTransaction, _ usage: UsageTally) { (self.transaction, self.usage) = (transaction, usage) }

    subscript(count: UInt64) -> SensitiveContent? { contents[count] }

    /// The change counts of the sensitive versions with promises.
    var promised: [UInt64] { contents.filter { !$0.value.promisers.parts.isEmpty }.map(\.key) }

    /// Keeps the content of a version; `nil` removes it.
    func set(_ content: SensitiveContent?, of version: VersionRow) {
        let (count, source) = (version.changeCount, version.source.application)
        let earlier = contents[count]
        guard content != nil || earlier != nil else { return }
        if let earlier { usage.refund(earlier.usage, to: source, .volatile) }
        if let content { usage.charge(content.usage, to: source, .volatile) }
        transaction.onUndo { [self] in contents[count] = earlier }
        contents[count] = content
    }
}
