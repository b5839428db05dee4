internal import CLibDBus
internal import CLinux

/// One libdbus connection, from connect to disconnect, on the I/O thread.
///
/// Knows messages and nothing of their meaning; ``Connection`` outlives it and replaces it on reconnect. Replies go to
/// a table of its own rather than through `DBusPendingCall`, so libdbus needs no timers.
@DBusActor
final class Link {
    private let handle: OpaquePointer
    private var watches: WatchSet
    private var isClosed = false
    private var dispatchIsDue = false

    /// Every message that comes in; the last one says that the link has ended.
    var receive: (Message) -> Void = { _ in }

    /// The most messages handled before other connections get their turn.
    private static let turn = 128

    /// Connects, authenticates in the background.
    ///
    /// `dbus_connection_open_private` blocks in connect(2), so it runs on a thread of the pool, never on the I/O
    /// thread.
    static func open(_ address: String) async throws(ConnectionError) -> Link {
        let opened = await Background.run { () -> Result<Int, ConnectionError> in
            var error = CLibDBus.DBusError()
            dbus_error_init(&error)
            defer { dbus_error_free(&error) }
            guard let handle = dbus_connection_open_private(address, &error) else {
                return .failure(
                    .cannotConnect(address: address, reason: error.message.map { String(cString: $0) } ?? ""))
            }
            // A pointer belongs to a thread; its address may go to another one, which is the only one to use it.
            return .success(Int(bitPattern: handle))
        }
        guard let handle = OpaquePointer(bitPattern: try opened.get()) else {
            throw .cannotConnect(address: address, reason: "libdbus gave no connection")
        }
        return Link(adopting: handle)
    }

    /// Takes over a reference to a private connection.
    init(adopting handle: OpaquePointer) {
        self.handle = handle
        watches = WatchSet()
        // Without this libdbus ends the process when the bus goes.
        dbus_connection_set_exit_on_disconnect(handle, 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_watch_functions(
            handle,
            { watch, me in Link.from(me) { $0.watches.add(watch!) { link in Link.from(me) { $0.ready(link) } } } },
            { watch, me in Link.from(me) { $0.watches.remove(watch!) } },
            { _, me in Link.from(me) { $0.watches.update() } },
            me, nil)
        dbus_connection_set_dispatch_status_function(
            handle,
            { _, status, me in if status == DBUS_DISPATCH_DATA_REMAINS { Link.from(me) { $0.dispatchSoon() } } },
            me, nil)
        dbus_connection_add_filter(
            handle,
            { _, message, me in
                let message = Message(retaining: message!)
                Link.from(me) { $0.receive(message) }
                // libdbus itself answers org.freedesktop.DBus.Peer before filters are asked.
                return DBUS_HANDLER_RESULT_HANDLED
            }, me, nil)
        dispatchSoon()
    }

    isolated deinit { close() }

    /// Runs `body` with the link that a C callback belongs to. libdbus calls back only from within calls made on the
    /// I/O thread.
    @discardableResult
    private nonisolated static func from(_ me: UnsafeMutableRawPointer?, _ body: @DBusActor (Link) -> Void)
        -> dbus_bool_t
    {
        let address = UInt(bitPattern: me)
        DBusActor.assumeIsolated {
            body(Unmanaged<Link>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue())
        }
        return 1
    }

    /// Queues a message, and writes as much as the socket takes without blocking.
    /// - Returns: its serial; 0 if the link has ended, or cannot carry the descriptors in the message.
    @discardableResult
    func send(_ message: Message) -> UInt32 {
        var serial: UInt32 = 0
        guard !isClosed, dbus_connection_send(handle, message.handle, &serial) != 0 else { return 0 }
        return serial
    }

    /// Bytes that wait because the other side does not read.
    var bytesWaiting: Int { isClosed ? 0 : dbus_connection_get_outgoing_size(handle) }

    var isOpen: Bool { !isClosed && dbus_connection_get_is_connected(handle) != 0 }

    /// Ends the link at once; `receive` is not called any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        receive = { _ in }
        dbus_connection_set_watch_functions(handle, nil, nil, nil, nil, nil)
        dbus_connection_set_dispatch_status_function(handle, nil, nil, nil)
        watches.removeAll()
        dbus_connection_close(handle)
        dbus_connection_unref(handle)
    }

    /// Waits until what was sent has left the process; for the last message of a program.
    func flushed() async {
        while !isClosed, dbus_connection_has_messages_to_send(handle) != 0,
            dbus_connection_get_is_connected(handle) != 0
        {
            await withCheckedContinuation { continuation in DBusActor.thread.afterNextEvents { continuation.resume() } }
        }
    }

    private func ready(_ events: [WatchSet.Event]) {
        let me = self  // A callback may release the link.
        for event in events where !me.isClosed && me.watches.contains(event.watch) {
            dbus_watch_handle(event.watch, event.flags)
        }
        me.dispatchSoon()
    }

    private func dispatchSoon() {
        guard !dispatchIsDue, !isClosed else { return }
        dispatchIsDue = true
        DBusActor.thread.soon { [weak self] in DBusActor.assumeIsolated { self?.dispatch() } }
    }

    private func dispatch() {
        dispatchIsDue = false
        for _ in 0..<Self.turn {
            guard !isClosed else { return }
            dbus_connection_ref(handle)
            let status = dbus_connection_dispatch(handle)
            dbus_connection_unref(handle)
            guard status == DBUS_DISPATCH_DATA_REMAINS else { return }
        }
        dispatchSoon()
    }
}
