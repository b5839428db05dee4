internal import CLinux
internal import Glibc

/// A memory file that is being filled, until it is sealed: then nobody can change it any more.
package struct SealedFileWriter: ~Copyable {
    /// The file, for looking at what it holds; -1 once it is sealed and has another owner.
    package private(set) var descriptor: CInt

    /// Makes an empty one. The corresponding C function is `memfd_create`.
    /// - Parameter name: for people who look into `/proc/PID/fd`; at most 249 bytes.
    /// - Throws: ``SystemError`` where the process has no descriptor or the system no memory left.
    package init(name: String) throws(SystemError) {
        descriptor = clinux_memory_file(name)
        guard descriptor >= 0 else { throw SystemError("memfd_create") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Adds bytes at the end. Many bytes take time: not on the I/O thread.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            // One call writes at most 2 GiB.
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno != EINTR {
                throw SystemError("write")
            }
        }
    }

    /// Lets go of all bytes behind a length; nothing may be added after that.
    package mutating func shorten(to byteCount: UInt64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw SystemError("ftruncate") }
    }

    /// Fixes length and content for ever. The corresponding C function is `fcntl` with `F_ADD_SEALS`.
    /// - Returns: the file, which the caller closes.
    package consuming func seal() throws(SystemError) -> CInt {
        guard clinux_seal(descriptor) == 0 else { throw SystemError("fcntl(F_ADD_SEALS)") }
        let file = descriptor
        descriptor = -1
        return file
    }
}
