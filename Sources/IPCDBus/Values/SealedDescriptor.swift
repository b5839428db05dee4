internal import CLinux
internal import Glibc

extension Descriptor {
    /// Creates a memory file with these bytes (C: `memfd_create`, and `fcntl` with `F_ADD_SEALS`). No process can
    /// change it, so any receiver can map it safely. This takes long for many bytes, so do not call it on the I/O
    /// thread.
    /// - Parameter name: the name in `/proc/PID/fd`; at most 249 bytes.
    /// - Throws: ``SystemError`` if the process has no descriptor or the system no memory left.
    public static func sealed(
        containing bytes: UnsafeRawBufferPointer, name: String = "sealed"
    ) throws(SystemError) -> Descriptor {
        Descriptor(owning: try makeSealed(containing: bytes, name: name))
    }

    /// Does the same as ``sealed(containing:name:)``, but returns a raw descriptor, which the caller must close.
    package static func makeSealed(
        containing bytes: UnsafeRawBufferPointer, name: String
    ) throws(SystemError) -> CInt {
        var file = try SealedFileWriter(name: name)
        try file.append(bytes)
        return try file.seal()
    }

    /// Whether this is a memory file that no process can shrink, grow or write.
    public var isSealed: Bool { Self.isSealed(rawValue) }

    package static func isSealed(_ descriptor: CInt) -> Bool { clinux_has_fixed_content(descriptor) == 1 }
}

/// A system call that failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    public let call: String
    /// The value of `errno`.
    public let code: CInt

    /// Reads `errno`, so call this directly after the system call.
    init(_ call: String) {
        code = errno
        self.call = call
    }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A memory file that is filled and then sealed, so that no process can change it.
package struct SealedFileWriter: ~Copyable {
    /// The file's descriptor, for reading its content; -1 once ``seal()`` has handed it over.
    package private(set) var descriptor: CInt

    /// Creates an empty file. The corresponding C function is `memfd_create`.
    /// - Parameter name: the name in `/proc/PID/fd`; at most 249 bytes.
    /// - Throws: ``SystemError`` if the process has no descriptor or the system no memory left.
    package init(name: String) throws(SystemError) {
        descriptor = clinux_memory_file(name)
        guard descriptor >= 0 else { throw SystemError("memfd_create") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes. This takes long for many bytes, so do not call it on the I/O thread.
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

    /// Removes all bytes beyond a length. No bytes may be appended after that.
    package mutating func shorten(to byteCount: UInt64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw SystemError("ftruncate") }
    }

    /// Makes the length and the content immutable. The corresponding C function is `fcntl` with `F_ADD_SEALS`.
    /// - Returns: the file's descriptor, which the caller must close.
    package consuming func seal() throws(SystemError) -> CInt {
        guard clinux_seal(descriptor) == 0 else { throw SystemError("fcntl(F_ADD_SEALS)") }
        let file = descriptor
        descriptor = -1
        return file
    }
}
