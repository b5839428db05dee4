internal import CLibDBus
internal import CLinux

/// The watches that libdbus wants polled for one connection or server: usually one for reading and one for writing of
/// the same socket, which epoll wants as one registration.
@DBusActor
final class WatchSet {
    struct Event {
        let watch: OpaquePointer
        let flags: UInt32
    }

    private var watches: [OpaquePointer] = []
    private var registered: [CInt: UInt32] = [:]
    private var ready: ([Event]) -> Void = { _ in }

    func add(_ watch: OpaquePointer, ready: @escaping @DBusActor ([Event]) -> Void) {
        watches.append(watch)
        self.ready = ready
        update()
    }

    func remove(_ watch: OpaquePointer) {
        watches.removeAll { $0 == watch }
        update()
    }

    func removeAll() {
        watches = []
        update()
    }

    func contains(_ watch: OpaquePointer) -> Bool { watches.contains(watch) }

    /// Tells epoll what the enabled watches want, where that has changed.
    func update() {
        var wanted: [CInt: UInt32] = [:]
        for watch in watches {
            wanted[dbus_watch_get_unix_fd(watch), default: 0] |=
                dbus_watch_get_enabled(watch) != 0 ? Self.interest(dbus_watch_get_flags(watch)) : 0
        }
        for descriptor in registered.keys where wanted[descriptor] == nil {
            DBusActor.thread.unregister(descriptor)
            registered[descriptor] = nil
        }
        for (descriptor, interest) in wanted where registered[descriptor] != interest {
            DBusActor.thread.register(descriptor, events: interest, isNew: registered[descriptor] == nil) {
                [weak self] events in
                DBusActor.assumeIsolated { self?.happened(events, on: descriptor) }
            }
            registered[descriptor] = interest
        }
    }

    private func happened(_ events: UInt32, on descriptor: CInt) {
        let flags = Self.watchFlags(events)
        ready(
            watches.compactMap { watch in
                guard dbus_watch_get_unix_fd(watch) == descriptor, dbus_watch_get_enabled(watch) != 0 else {
                    return nil
                }
                let concerned =
                    flags & (dbus_watch_get_flags(watch) | DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue)
                return concerned == 0 ? nil : Event(watch: watch, flags: concerned)
            })
    }

    private static func interest(_ flags: UInt32) -> UInt32 {
        (flags & DBUS_WATCH_READABLE.rawValue != 0 ? EPOLLIN.rawValue : 0)
            | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? EPOLLOUT.rawValue : 0)
    }

    private static func watchFlags(_ events: UInt32) -> UInt32 {
        (events & EPOLLIN.rawValue != 0 ? DBUS_WATCH_READABLE.rawValue : 0)
            | (events & EPOLLOUT.rawValue != 0 ? DBUS_WATCH_WRITABLE.rawValue : 0)
            | (events & EPOLLERR.rawValue != 0 ? DBUS_WATCH_ERROR.rawValue : 0)
            | (events & EPOLLHUP.rawValue != 0 ? DBUS_WATCH_HANGUP.rawValue : 0)
    }
}
