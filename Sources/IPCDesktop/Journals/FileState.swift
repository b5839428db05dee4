internal import Glibc
package import IPCModel

package struct FileState: Sendable, Equatable {
    package let bytes: [UInt8]
    /// The permission bits (chmod(2)).
    let mode: UInt32

    /// The permissions of a new file, before the umask is applied.
    static let usualMode: UInt32 = 0o644

    /// Reads a file; `nil` if there is none.
    package static func read(_ path: String) throws(FileFailure) -> FileState? {
        // If this is a pipe, do not wait for a writer. If it is a terminal, do not make it the controlling terminal.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileFailure("read", path, errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileFailure("read", path, errno) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else { throw FileFailure("read", path, kind == S_IFDIR ? EISDIR : EINVAL) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while true {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileFailure("read", path, errno) }
            if got == 0 { break }
            count += got
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: count) }
        }
        return FileState(bytes: Array(bytes[..<count]), mode: status.st_mode & 0o7777)
    }

    /// Atomically and durably replaces a file. If the path is a symbolic link, replaces the target of the link.
    /// - Parameter keepsMode: whether the permissions become exactly ``mode``, regardless of the umask.
    func write(to path: String, keepsMode: Bool = false) throws(FileFailure) {
        let target = Self.target(of: path)
        let temporary = "\(target).\(getpid())~"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { throw FileFailure("write", path, errno) }
        var failure = writeAll(to: file)
        if failure == 0, keepsMode, fchmod(file, mode) != 0 { failure = errno }
        if failure == 0, fsync(file) != 0 { failure = errno }
        if close(file) != 0, failure == 0 { failure = errno }
        if failure == 0, rename(temporary, target) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(temporary)
            throw FileFailure("write", path, failure)
        }
    }

    private func writeAll(to file: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Removes a file, which need not exist.
    static func remove(_ path: String) throws(FileFailure) {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw FileFailure("remove", path, errno) }
    }

    private static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// A file cannot be read, written or removed.
package struct FileFailure: Condition, Hashable {
    private let act: String
    private let path: String
    /// The system's error number.
    package let number: CInt

    init(_ act: String, _ path: String, _ number: CInt) {
        self.act = act
        self.path = path
        self.number = number
    }

    package var ipcError: IPCError {
        let code: IPCError.Code =
            switch number {
            case ENOSPC, EDQUOT: .noSpace
            case EACCES, EPERM, EROFS: .accessDenied
            default: .inputOutput
            }
        return IPCError(code, "cannot \(act) \(path): \(String(cString: strerror(number)))")
    }
}
