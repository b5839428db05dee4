private import CLinux
internal import Glibc

/// Watches a descriptor of another protocol on the I/O thread, such as a display or a pipe.
///
/// The caller keeps the descriptor open until ``end()``, because the system reuses the number of a closed one.
@DBusActor
package final class DescriptorWatch {
    /// The operation that does not block.
    package enum Readiness: Sendable {
        case reading, writing
    }

    private let descriptor: CInt
    private var isWatching = true

    /// Calls `ready` on the I/O thread repeatedly while the descriptor is ready, has ended or has an error; the next read or write
    /// shows which. The corresponding C function is `epoll_ctl`.
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
