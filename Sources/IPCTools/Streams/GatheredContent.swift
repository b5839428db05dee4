internal import Glibc
internal import IPC
private import IPCDBus
private import IPCModel

/// The bytes of a stream: short content in memory, longer content in a memory file that is sent as a descriptor. So a
/// stream of any length takes no more of the tool's own memory than one message does.
struct GatheredContent: ~Copyable {
    private var bytes: [UInt8] = []
    private var file: SealedFileWriter?
    private(set) var count: UInt64 = 0
    private let name: String
    private let mostInline = Limits().inlineValueBytes
    private let most: UInt64

    /// - Parameters:
    ///   - name: the name of the source, for error messages.
    ///   - most: the size limit in bytes.
    init(from name: String, most: UInt64) { (self.name, self.most) = (name, most) }

    /// - Throws: ``ToolFailure`` with exit code 65 if the stream exceeds the limit, 74 if no memory is left.
    mutating func add(_ part: UnsafeRawBufferPointer) throws(ToolFailure) {
        count += UInt64(part.count)
        guard count <= most else { throw .tooLarge(name, nil, most) }
        if file == nil && count <= mostInline {
            bytes += part
            return
        }
        do throws(SystemError) {
            if file == nil {
                var new = try SealedFileWriter(name: "swift-ipc-content")
                try bytes.withUnsafeBytes { few in Result { () throws(SystemError) in try new.append(few) } }.get()
                bytes = []
                file = consume new
            }
            try file?.append(part)
        } catch {
            throw .noMemoryFile(name, error.code)
        }
    }

    /// Returns all bytes as a value. Seals a memory file against changes.
    /// - Parameter trimmingNewline: whether to remove a newline at the end.
    consuming func value(trimmingNewline: Bool) throws(ToolFailure) -> Representation.Value {
        guard var file = file.take() else {
            if trimmingNewline && bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            return .bytes(bytes)
        }
        do throws(SystemError) {
            if trimmingNewline && InputFile.endsWithNewline(file.descriptor, count) {
                count -= 1
                try file.shorten(to: count)
            }
            return .file(ContentFile(owning: try file.seal(), byteCount: Int(count)))
        } catch {
            throw .noMemoryFile(name, error.code)
        }
    }
}

extension ToolFailure {
    fileprivate static func noMemoryFile(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(
            name: code == ENOSPC || code == ENOMEM ? "NoSpace" : "InputOutput",
            message:
                "\(name) does not fit into memory: \(describe(code)); write it to a file, and pass that with --file",
            exit: .inputOutput)
    }

    /// - Parameter size: the size in bytes; nil if it is unknown, because the end has not been reached.
    static func tooLarge(_ name: String, _ size: UInt64?, _ most: UInt64) -> ToolFailure {
        let reason =
            size.map { "\(name) is too large for a value: \(LimitExceeded.excess(bytes: $0, over: most))" }
            ?? "\(name) is too large for a value: it has more than \(ByteSize.text(most))"
        return ToolFailure(
            name: "LimitExceeded", message: "\(reason); send it in parts, or send its path", exit: .dataError)
    }
}
