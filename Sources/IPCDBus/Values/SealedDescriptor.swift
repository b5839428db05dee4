internal import CLinux
internal import Glibc

extension Descriptor {
    /// Makes a memory file of these bytes that nobody can change any more, so that it can be handed to a stranger, who
    /// can map it without fear. Writing many bytes takes time: not on the I/O thread.
    ///
    /// The corresponding C functions are `memfd_create` and `fcntl` with `F_ADD_SEALS`.
    /// - Parameter name: for people who look into `/proc/PID/fd`; at most 249 bytes.
    /// - Throws: ``SystemError`` where the process has no descriptor or the system no memory left.
    public static func sealed(
        containing bytes: UnsafeRawBufferPointer, name: String = "sealed"
    ) throws(SystemError) -> Descriptor {
        Descriptor(owning: try makeSealed(containing: bytes, name: name))
    }

    /// The same, for an owner of another kind: the caller closes it.
    package static func makeSealed(
        containing bytes: UnsafeRawBufferPointer, name: String
    ) throws(SystemError) -> CInt {
        var file = try SealedFileWriter(name: name)
        try file.append(bytes)
        return try file.seal()
    }

    /// Whether it is a memory file that can neither shrink, grow nor be written, by anybody.
    public var isSealed: Bool { Self.isSealed(rawValue) }

    package static func isSealed(_ descriptor: CInt) -> Bool { clinux_has_fixed_content(descriptor) == 1 }
}

/// A system call that failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The call.
    public let call: String
    /// Why: a number of `errno`.
    public let code: CInt

    /// Takes the reason from `errno`, so it must be the next thing after the call.
    init(_ call: String) {
        code = errno
        self.call = call
    }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
