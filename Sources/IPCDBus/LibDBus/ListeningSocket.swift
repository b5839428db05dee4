internal import CLibDBus

/// A libdbus server: the listening side of peer-to-peer connections, on the I/O thread.
@DBusActor
final class ListeningSocket {
    private let handle: OpaquePointer
    private var watches: WatchSet
    private var isClosed = false
    private let accept: (Link) -> Void

    /// Listens at `address` (D-Bus specification, "Server addresses"); only this user can authenticate.
    init(_ address: String, accept: @escaping @DBusActor (Link) -> Void) throws(ConnectionError) {
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let handle = dbus_server_listen(address, &error) else {
            throw .cannotListen(address: address, reason: error.message.map { String(cString: $0) } ?? "")
        }
        self.handle = handle
        self.accept = accept
        watches = WatchSet()
        let me = Unmanaged.passUnretained(self).toOpaque()
        dbus_server_set_watch_functions(
            handle,
            { watch, me in
                ListeningSocket.from(me) {
                    $0.watches.add(watch!) { events in _ = ListeningSocket.from(me) { $0.ready(events) } }
                }
            },
            { watch, me in _ = ListeningSocket.from(me) { $0.watches.remove(watch!) } },
            { _, me in _ = ListeningSocket.from(me) { $0.watches.update() } },
            me, nil)
        dbus_server_set_new_connection_function(
            handle,
            { _, connection, me in
                // The server drops its reference after this callback.
                guard let connection = dbus_connection_ref(connection) else { return }
                _ = ListeningSocket.from(me) { $0.accept(Link(adopting: connection)) }
            }, me, nil)
    }

    isolated deinit { close() }

    /// Where clients connect to, with what the system chose (D-Bus specification, "Server addresses").
    var address: String {
        guard let text = dbus_server_get_address(handle) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    /// Accepts no more; connections that stand go on.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        dbus_server_set_watch_functions(handle, nil, nil, nil, nil, nil)
        watches.removeAll()
        dbus_server_disconnect(handle)
        dbus_server_unref(handle)
    }

    @discardableResult
    private nonisolated static func from(
        _ me: UnsafeMutableRawPointer?, _ body: @DBusActor (ListeningSocket) -> Void
    ) -> dbus_bool_t {
        let address = UInt(bitPattern: me)
        DBusActor.assumeIsolated {
            body(Unmanaged<ListeningSocket>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue())
        }
        return 1
    }

    private func ready(_ events: [WatchSet.Event]) {
        for event in events where !isClosed && watches.contains(event.watch) {
            dbus_watch_handle(event.watch, event.flags)
        }
    }
}
