internal import Glibc

/// A file descriptor that is closed when its last reference is released. A message carries a duplicate of it, so the
/// descriptor stays open after it has been written to a message.
public final class Descriptor: Sendable, Hashable {
    public let rawValue: CInt

    /// Takes over an open descriptor.
    public init(owning rawValue: CInt) { self.rawValue = rawValue }

    /// Duplicates a descriptor (`F_DUPFD_CLOEXEC`); `nil` if the process has no descriptor left.
    public init?(duplicating other: CInt) {
        let copy = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        rawValue = copy
    }

    deinit { close(rawValue) }

    public static func == (one: Descriptor, other: Descriptor) -> Bool { one.rawValue == other.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
