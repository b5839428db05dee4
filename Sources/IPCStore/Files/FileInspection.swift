internal import CLinux
internal import Glibc
internal import IPCModel

/// What the system says about a descriptor that somebody sent, before anything is read from it.
struct FileInspection {
    let byteCount: Int
    /// Whether neither length nor content can change any more.
    let isFixed: Bool

    /// Looks at a file. Does not block where the file system does not: nothing is opened, read or mapped.
    ///
    /// `PayloadInvalid` where it is not a regular file that can be read, `LimitExceeded` where it is too long.
    /// The corresponding C functions are `fstat` and `fcntl`.
    init(_ file: ContentFile, _ limits: Limits) throws {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw Self.invalid("cannot be looked at: \(FileFailure.sentence(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Self.invalid("is \(Self.kind(status.st_mode)); pass a regular file or a sealed memory file")
        }
        guard clinux_can_read(file.descriptor) != 0 else {
            throw Self.invalid("is not open for reading; open it read-only, without O_PATH")
        }
        do {
            try limits.check(\.valueBytes, request: UInt64(clamping: status.st_size))
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
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
        default: "no regular file"
        }
    }

    static func invalid(_ reason: String) -> IPCError {
        IPCError(.payloadInvalid, "a file descriptor of the payload \(reason)")
    }
}
