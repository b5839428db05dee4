private import CLinux
internal import Glibc
package import IPC
private import IPCModel

/// An output that writes content byte for byte: standard output, or a file.
package struct ContentOutput: ~Copyable {
    private let descriptor: CInt
    private let name: String
    /// The path of a new file until it has its content.
    private var unused: String?
    private let isOwned: Bool

    private init(_ descriptor: CInt, _ name: String, isOwned: Bool, unused: String? = nil) {
        (self.descriptor, self.name, self.isOwned, self.unused) = (descriptor, name, isOwned, unused)
    }

    deinit { if isOwned { close(descriptor) } }

    /// Removes a new file that did not get its content.
    package mutating func discardUnused() {
        if let unused { unlink(unused) }
        unused = nil
    }

    package static var standardOutput: ContentOutput { ContentOutput(STDOUT_FILENO, "the output", isOwned: false) }

    /// Opens a file. Call this before a pasteboard is read, so that no content is consumed and then lost. The old
    /// content of the file stays until ``write(_:)``. Only the user can read a new file.
    /// - Throws: ``ToolFailure`` with exit code 73 if the file cannot be created or written.
    package static func file(_ path: String) throws(ToolFailure) -> ContentOutput {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY
        let name = "the file \(path.quoted)"
        let new = open(path, flags | O_EXCL, 0o600)
        if new >= 0 { return ContentOutput(new, name, isOwned: true, unused: path) }
        let old = open(path, flags, 0o600)
        guard old >= 0 else { throw .cannotMake(name, errno) }
        return ContentOutput(old, name, isOwned: true)
    }

    private var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a value. On a terminal, a newline follows if the content does not end with one.
    /// - Throws: ``ToolFailure`` with exit code 74, without a message if the reader has ended.
    package mutating func write(_ value: Representation.Value) throws(ToolFailure) {
        let isReserved = isOwned ? try reserve(value.byteCount) : false
        let isOpen: Bool
        if case .file(let file) = value {
            try send(file)
            isOpen = !InputFile.endsWithNewline(file.descriptor, UInt64(file.byteCount))
        } else {
            let bytes = value.content
            try writeAll(bytes, to: descriptor, named: name)
            isOpen = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
        }
        if isOpen && isTerminal { try writeAll([UInt8(ascii: "\n")], to: descriptor, named: name) }
        if isReserved { try cut(to: value.byteCount) }
        unused = nil
    }

    /// Reserves space before the first byte is written, so that a file keeps its old content if the disk is full. This
    /// does not help on a file system that copies on write. If the file system cannot reserve (fallocate(2)), truncates
    /// the file at once.
    /// - Returns: whether the space was reserved. The caller must then truncate a longer old file after writing.
    private borrowing func reserve(_ byteCount: Int) throws(ToolFailure) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        if byteCount > 0 {
            var result: CInt
            repeat {
                result = clinux_reserve(descriptor, byteCount)
            } while result != 0 && errno == EINTR
            if result == 0 { return true }
            guard errno == EOPNOTSUPP || errno == ENOSYS else { throw .cannotWrite(name, errno) }
        }
        try cut(to: 0)
        return false
    }

    private borrowing func cut(to length: Int) throws(ToolFailure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw .cannotWrite(name, errno) }
    }

    /// Copies a file to the output inside the system (sendfile(2)). If that is impossible, as for an output that
    /// appends, copies it through this process.
    private borrowing func send(_ file: ContentFile) throws(ToolFailure) {
        var bar = ProgressBar("writing", total: UInt64(file.byteCount), on: isTerminal ? nil : .standardError)
        defer { bar.finish() }
        var place: off_t = 0
        while place < file.byteCount {
            let count = sendfile(descriptor, file.descriptor, &place, min(1 << 20, file.byteCount - Int(place)))
            if count > 0 {
                bar.update(to: UInt64(place))
            } else if count == 0 {
                throw .endsEarly(file.byteCount, Int(place))
            } else if errno == EAGAIN {
                wait(for: descriptor, POLLOUT)
            } else if errno == EINVAL || errno == ENOSYS {
                return try copy(file, from: place, &bar)
            } else if errno != EINTR {
                throw .cannotWrite(name, errno)
            }
        }
    }

    private borrowing func copy(
        _ file: ContentFile, from start: off_t, _ bar: inout ProgressBar
    ) throws(ToolFailure) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { block.deallocate() }
        var place = start
        while place < file.byteCount {
            let count = pread(file.descriptor, block.baseAddress, min(block.count, file.byteCount - Int(place)), place)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .cannotRead("the content", errno) }
            guard count > 0 else { throw .endsEarly(file.byteCount, Int(place)) }
            try writeAll(UnsafeRawBufferPointer(rebasing: block[..<count]), to: descriptor, named: name)
            place += off_t(count)
            bar.update(to: UInt64(place))
        }
    }
}

extension ToolFailure {
    /// A file or folder cannot be created or opened for writing.
    static func cannotMake(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(
            name: "CannotCreate", message: "cannot write \(name): \(describe(code)); give a path that you can write",
            exit: .cannotCreate)
    }

    fileprivate static func endsEarly(_ bytes: Int, _ place: Int) -> ToolFailure {
        ToolFailure(
            name: "InputOutput", message: "a value of \(bytes) bytes ended after \(place) bytes; read it again",
            exit: .inputOutput)
    }
}
