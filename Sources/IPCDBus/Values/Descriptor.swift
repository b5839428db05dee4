private import CLinux
internal import Glibc

/// A file descriptor with one owner: it is closed when the last reference goes.
///
/// A message has duplicates: a descriptor that is read from it has an owner here, and a written one stays with the caller.
public final class Descriptor: Sendable, Hashable {
    public let rawValue: CInt

    /// Takes over an open descriptor.
    public init(owning rawValue: CInt) { self.rawValue = rawValue }

    /// A second descriptor of the same open file (`F_DUPFD_CLOEXEC`), or `nil` when the process has none left.
    public init?(duplicating other: CInt) {
        let copy = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        rawValue = copy
    }

    deinit { close(rawValue) }

    public static func == (one: Descriptor, other: Descriptor) -> Bool { one.rawValue == other.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
