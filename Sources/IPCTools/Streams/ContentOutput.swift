internal import Glibc
package import IPC
private import IPCModel

/// An output that writes content byte for byte: standard output, or a file.
package struct ContentOutput: ~Copyable {
    private let descriptor: CInt
    private let name: String
    private let isOwned: Bool
    /// The path of a temporary file and, in `place`, its final path; nil if the content is not written to a new file.
    private var new: (path: String, place: String)?

    private init(_ descriptor: CInt, _ name: String, isOwned: Bool, new: (path: String, place: String)? = nil) {
        (self.descriptor, self.name, self.isOwned, self.new) = (descriptor, name, isOwned, new)
    }

    deinit {
        if let new { unlink(new.path) }
        if isOwned { close(descriptor) }
    }

    package var temporaryPath: String? { new?.path }

    package static var standardOutput: ContentOutput { ContentOutput(STDOUT_FILENO, "the output", isOwned: false) }

    /// Opens a file. Call this before reading a pasteboard, so that no content is consumed and then lost. The content
    /// goes to a temporary file in the same folder, which replaces the old file once it is complete: if the disk fills
    /// up or the program crashes, the old file is unchanged. The mode and, if possible, the owner stay the same. Only
    /// the user can read a file that did not exist before. Devices and pipes are written in place, and so is a file in
    /// a folder that the user cannot write to.
    /// - Throws: ``ToolFailure`` with exit code 73 if the file cannot be created or written.
    package static func file(_ path: String) throws(ToolFailure) -> ContentOutput {
        // Exceeding the file size limit (RLIMIT_FSIZE) must fail with an error, not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        let name = "the file \(path.quoted)"
        var old = stat()
        let isThere = stat(path, &old) == 0
        let isReplaceable = isThere ? isReplaceable(path, old) : lstat(path, &old) != 0
        if isReplaceable, let new = new(at: path, name, isThere ? old : nil) { return new }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw .cannotMake(name, errno) }
        return ContentOutput(descriptor, name, isOwned: true)
    }

    /// Whether a new file can replace this one. `/dev/stdout` cannot be replaced, because another program has it open.
    private static func isReplaceable(_ path: String, _ old: stat) -> Bool {
        let isOpenElsewhere = ["/dev/", "/proc/"].contains { path.hasPrefix($0) }
        return old.st_mode & S_IFMT == S_IFREG && !isOpenElsewhere && access(path, W_OK) == 0
    }

    private static func new(at path: String, _ name: String, _ old: stat?) -> ContentOutput? {
        let real = realpath(path, nil)
        defer { free(real) }
        let place = real.map { String(cString: $0) } ?? path
        var new = Array((place + newSuffix + "XXXXXX").utf8CString)
        let descriptor = mkstemp(&new)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if let old {
            _ = fchown(descriptor, old.st_uid, old.st_gid)
            fchmod(descriptor, old.st_mode & 0o7777)
        }
        let written = String(decoding: new.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ContentOutput(descriptor, name, isOwned: true, new: (written, place))
    }

    /// The suffix of the temporary file's name. Six random characters follow it.
    static let newSuffix = ".new-"

    private var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a value. On a terminal, a newline follows if the content does not end with one.
    /// - Throws: ``ToolFailure`` with exit code 74; it has no message if the reader closed the output.
    package mutating func write(_ value: Representation.Value) throws(ToolFailure) {
        if isOwned, new == nil { try cut() }
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
        guard let new else { return }
        // A network file system may report a full disk or quota only when a descriptor is closed (close(2)).
        guard close(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) == 0 else { throw .cannotWrite(name, errno) }
        guard rename(new.path, new.place) == 0 else { throw .cannotMake(name, errno) }
        self.new = nil
    }

    /// Truncates a regular file. Other files have no length.
    private borrowing func cut() throws(ToolFailure) {
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else { throw .cannotWrite(name, errno) }
    }

    /// Copies a file to the output inside the kernel (sendfile(2)), or through this process if the kernel cannot, for
    /// example if the output was opened for appending.
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
    /// The failure for a file or folder that cannot be created or opened for writing.
    static func cannotMake(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(
            name: "CannotCreate",
            message: "cannot write \(name): \(describe(code)); choose a path that you can write to",
            exit: .cannotCreate)
    }

    fileprivate static func endsEarly(_ bytes: Int, _ place: Int) -> ToolFailure {
        ToolFailure(
            name: "InputOutput", message: "only \(place) of the \(bytes) bytes of the content could be read; try again",
            exit: .inputOutput)
    }
}
