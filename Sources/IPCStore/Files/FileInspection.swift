internal import CLinux
internal import Glibc
internal import IPCModel

/// Information about a received descriptor, gathered before any byte is read.
struct FileInspection {
    let byteCount: Int
    /// Whether the length and the content of the file can never change.
    let isFixed: Bool

    /// Inspects a file without opening, reading or mapping it. The corresponding C functions are `fstat` and `fcntl`.
    /// - Throws: `PayloadInvalid` if it is not a readable regular file, `LimitExceeded` if it is too large.
    init(_ file: ContentFile, _ limits: Limits) throws {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw Self.invalid("cannot be inspected: \(FileFailure.sentence(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Self.invalid("is \(Self.kind(status.st_mode)); pass a regular file or a sealed memory file")
        }
        guard clinux_can_read(file.descriptor) != 0 else {
            throw Self.invalid("is not open for reading; open it read-only, without O_PATH")
        }
        try limits.check(\.valueBytes, request: UInt64(clamping: status.st_size))
        byteCount = Int(status.st_size)
        isFixed = clinux_has_fixed_content(file.descriptor) != 0
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFIFO: "a pipe"
        case S_IFDIR: "a directory"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFLNK: "a symbolic link"
        default: "not a regular file"
        }
    }

    static func invalid(_ reason: String) -> IPCError {
        IPCError(.payloadInvalid, "a file descriptor of the payload \(reason)")
    }
}
