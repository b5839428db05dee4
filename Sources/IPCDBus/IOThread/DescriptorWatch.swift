private import CLinux
internal import Glibc

/// Watches a descriptor that does not carry D-Bus, such as a display or a pipe, on the I/O thread. The caller must keep
/// the descriptor open until ``end()``, because the system reuses closed descriptors' numbers.
@DBusActor
package final class DescriptorWatch {
    /// The operation that can be performed without blocking.
    package enum Readiness: Sendable {
        case reading, writing
    }

    private let descriptor: CInt
    private var isWatching = true

    /// Calls `ready` on the I/O thread repeatedly while the descriptor is ready, has hung up or has an error; the next
    /// read or write shows which. The corresponding C function is `epoll_ctl`.
    package init(_ descriptor: CInt, for readiness: Readiness, _ ready: @escaping @DBusActor () -> Void) {
        self.descriptor = descriptor
        let events = readiness == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
        DBusActor.thread.register(descriptor, events: events, isNew: true) { _ in ready() }
    }

    package func end() {
        guard isWatching else { return }
        isWatching = false
        DBusActor.thread.unregister(descriptor)
    }

    isolated deinit { end() }
}
