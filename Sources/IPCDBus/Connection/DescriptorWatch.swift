private import CLinux
internal import Glibc

/// A descriptor of somebody else's protocol that the I/O thread looks at: a display, or a pipe that must not be waited for.
///
/// It stays the caller's, and has to be open until ``end()``: its number may belong to another one afterwards.
@DBusActor
package final class DescriptorWatch {
    /// What is waited for.
    package enum Readiness: Sendable {
        case reading, writing
    }

    private let descriptor: CInt
    private var isWatching = true

    /// Has `ready` called on the I/O thread again and again while the descriptor can be read or written without waiting; its end and
    /// its errors are told in the same way, and the next read or write says which. The corresponding C function is `epoll_ctl`.
    package init(_ descriptor: CInt, for readiness: Readiness, _ ready: @escaping @DBusActor () -> Void) {
        self.descriptor = descriptor
        let events = readiness == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
        DBusActor.thread.register(descriptor, events: events, isNew: true) { _ in
            DBusActor.assumeIsolated { ready() }
        }
    }

    /// Looks at it no longer. Nothing is called any more.
    package func end() {
        guard isWatching else { return }
        isWatching = false
        DBusActor.thread.unregister(descriptor)
    }

    isolated deinit { end() }
}
