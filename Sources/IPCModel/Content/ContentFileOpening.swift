internal import Glibc

extension ContentFile {
    /// Opens a regular file for reading; nothing is read yet.
    /// - Throws: `noSuchItem` where there is no such file; `payloadInvalid` for a folder, a pipe, a device or a socket,
    ///   at once; `inputOutput` where it cannot be opened.
    public convenience init(path: String) throws(IPCError) {
        // Without O_NONBLOCK a pipe would wait here for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let code = errno
            throw IPCError(
                code == ENOENT || code == ENOTDIR ? .noSuchItem : code == ENXIO ? .payloadInvalid : .inputOutput,
                "the file \(path.quoted) cannot be opened: \(String(cString: strerror(code)))")
        }
        guard ContentFile.isRegular(file) else {
            close(file)
            throw IPCError(.payloadInvalid, "\(path.quoted) is no regular file; give one, or its bytes")
        }
        self.init(owning: file)
    }

    /// Whether a descriptor is open and leads to a regular file or a memory file.
    package static func isRegular(_ descriptor: CInt) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether the descriptor can be read and not written.
    package var isReadOnly: Bool { fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY }
}
