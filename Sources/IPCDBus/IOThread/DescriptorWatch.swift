private import CLinux
internal import Glibc

/// Watches a descriptor of another protocol on the I/O thread, such as a display or a pipe.
///
/// The caller owns the descriptor and keeps it open until ``end()``: the system gives its number to another one afterwards.
@DBusActor
package final class DescriptorWatch {
    /// The operation that has to be possible without waiting.
    package enum Readiness: Sendable {
        case reading, writing
    }

    private let descriptor: CInt
    private var isWatching = true

    /// Calls `ready` on the I/O thread repeatedly while the descriptor is ready, has ended or has an error; the next read or
    /// write tells them apart. The corresponding C function is `epoll_ctl`.
    package init(_ descriptor: CInt, for readiness: Readiness, _ ready: @escaping @DBusActor () -> Void) {
        self.descriptor = descriptor
        let events = readiness == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
        DBusActor.thread.register(descriptor, events: events, isNew: true) { _ in ready() }
    }

    /// Stops watching.
    package func end() {
        guard isWatching else { return }
        isWatching = false
        DBusActor.thread.unregister(descriptor)
    }

    isolated deinit { end() }
}
