internal import Glibc
package import IPC
private import IPCModel

/// Reads the content of a file or of standard input. A large regular file is not read: its descriptor becomes the
/// value. Everything else is read, including files in `/proc`, which report no length.
package enum InputFile {
    /// The limit for the inline content of one message: the default of `inline-message-bytes`.
    package static let mostBytes = Int(Limits().inlineMessageBytes)

    /// - Parameters:
    ///   - trimmingNewline: whether to remove a newline at the end.
    ///   - most: the size limit in bytes.
    /// - Throws: ``ToolFailure`` with exit code 66 if the file is missing, 65 if it is too large, 74 if reading fails.
    package static func read(
        _ path: String, trimmingNewline: Bool = false, most: UInt64 = Limits().valueBytes
    ) throws(ToolFailure) -> Representation.Value {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            throw ToolFailure(
                name: code == ENOENT || code == ENOTDIR ? "NoSuchFile" : "InputOutput",
                message:
                    "cannot open the file \(path.quoted): \(describe(code)); give the path of a file that you may read",
                exit: .noInput)
        }
        if let file = large(descriptor, trimmingNewline, most) { return .file(file) }
        defer { close(descriptor) }
        return try gather(descriptor, most, named: "the file \(path.quoted)", trimmingNewline)
    }

    /// Reads all of standard input. On a terminal, prints a hint first, because the tool would otherwise seem to hang.
    package static func readStandardInput(
        trimmingNewline: Bool = false, most: UInt64 = Limits().valueBytes
    ) throws(ToolFailure) -> Representation.Value {
        if isatty(STDIN_FILENO) == 1 && OutputStream.error.isTerminal {
            try OutputStream.error.writeLine("reading from the terminal; end with Ctrl-D")
        }
        // A file at offset 0 is treated like a named file. At another offset, some program has already read a part.
        if lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 {
            let copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
            if copy >= 0, let file = large(copy, trimmingNewline, most) {
                lseek(STDIN_FILENO, 0, SEEK_END)
                return .file(file)
            }
            if copy >= 0 { close(copy) }
        }
        return try gather(STDIN_FILENO, most, named: "standard input", trimmingNewline)
    }

    /// Returns a large regular file as a value that owns the descriptor; nil for a file that has to be read.
    private static func large(_ descriptor: CInt, _ trimmingNewline: Bool, _ most: UInt64) -> ContentFile? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let size = UInt64(clamping: status.st_size)
        guard size > Limits().inlineValueBytes, size <= most else { return nil }
        if trimmingNewline && endsWithNewline(descriptor, size) { return nil }
        return ContentFile(owning: descriptor, byteCount: Int(size))
    }

    /// Whether the last byte of a file of `count` bytes is a newline.
    static func endsWithNewline(_ descriptor: CInt, _ count: UInt64) -> Bool {
        var last: UInt8 = 0
        return count > 0 && pread(descriptor, &last, 1, off_t(count - 1)) == 1 && last == UInt8(ascii: "\n")
    }

    private static func gather(
        _ descriptor: CInt, _ most: UInt64, named name: String, _ trimmingNewline: Bool
    ) throws(ToolFailure) -> Representation.Value {
        var content = GatheredContent(from: name, most: most)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { block.deallocate() }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        guard !isFile || UInt64(status.st_size) <= most else { throw .tooLarge(name, UInt64(status.st_size), most) }
        // No progress is shown while the user types on a terminal.
        let terminal = isatty(descriptor) == 1 ? nil : ProgressTerminal.standardError
        var bar = ProgressBar("reading", total: isFile ? UInt64(status.st_size) : nil, on: terminal)
        defer { bar.finish() }
        while true {
            let count = Glibc.read(descriptor, block.baseAddress, block.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    wait(for: descriptor, POLLIN)
                    continue
                }
                throw .cannotRead(name, errno)
            }
            try content.add(UnsafeRawBufferPointer(rebasing: block[..<count]))
            bar.update(to: content.count)
        }
        return try content.value(trimmingNewline: trimmingNewline)
    }
}

extension ToolFailure {
    static func cannotRead(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(
            name: "InputOutput", message: "cannot read \(name): \(describe(code))",
            exit: code == EISDIR ? .noInput : .inputOutput)
    }
}
