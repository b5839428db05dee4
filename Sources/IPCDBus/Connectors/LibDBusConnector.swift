internal import CLibDBus
internal import CLinux
internal import Glibc

/// Opens connections with libdbus, the reference implementation, using any of its transports and mechanisms. libdbus
/// connects and authenticates; then a ``Link`` takes over the socket. A bus sends nothing before `Hello`, so libdbus
/// has not read any message by then.
enum LibDBusConnector {
    private typealias Opened = (socket: Descriptor, passesDescriptors: Bool)

    /// How long libdbus waits for the server before the deadline is checked again.
    private static let pause = Duration.milliseconds(250)

    /// Connects, and authenticates this process. libdbus blocks, so it runs on a separate thread. If libdbus is still
    /// blocked at the deadline, the thread closes the connection later.
    @DBusActor
    static func open(
        _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> Link {
        guard let result = await Background.run(until: deadline, { connect(address, until: deadline) }) else {
            throw .timedOut(address: address.text)
        }
        let opened = try result.get()
        return Link(opened.socket, Authentication(finishedWith: opened.passesDescriptors))
    }

    private static func connect(
        _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) -> Result<Opened, ConnectionError> {
        // Otherwise, libdbus would make the whole program ignore SIGPIPE, although libdbus itself uses MSG_NOSIGNAL.
        dbus_connection_set_change_sigpipe(0)
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        let children = ChildReaper.childrenOfThread()
        guard let connection = dbus_connection_open_private(address.text, &error) else {
            let reason = error.message.map { String(cString: $0) } ?? "out of memory"
            return .failure(.cannotConnect(address: address.text, reason: reason))
        }
        defer {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
        }
        ChildReaper.reap(ChildReaper.childrenOfThread().subtracting(children))
        dbus_connection_set_exit_on_disconnect(connection, 0)
        return Result { () throws(ConnectionError) in
            try authenticate(connection, address, until: deadline)
            return try handOver(connection, address)
        }
    }

    private static func authenticate(
        _ connection: OpaquePointer, _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) throws(ConnectionError) {
        while dbus_connection_get_is_authenticated(connection) == 0 {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut(address: address.text) }
            let milliseconds = min(left, pause).components.attoseconds / 1_000_000_000_000_000
            guard dbus_connection_read_write(connection, CInt(milliseconds) + 1) != 0 else {
                throw .refused(reason: "the server at \(address.text) did not accept this process")
            }
        }
    }

    private static func handOver(
        _ connection: OpaquePointer, _ address: ServerAddress
    ) throws(ConnectionError) -> Opened {
        var number: CInt = -1
        guard dbus_connection_get_unix_fd(connection, &number) != 0, let socket = Descriptor(duplicating: number) else {
            throw .cannotConnect(address: address.text, reason: "the process has no file descriptor left")
        }
        // Send small messages immediately. Only TCP sockets accept this option.
        var isOn: CInt = 1
        setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
        return (socket, clibdbus_passes_descriptors(connection) != 0)
    }
}

/// Waits for the programs that libdbus starts (`unixexec:`). Otherwise, they would become zombies when they exit,
/// because libdbus does not wait for them.
@DBusActor
final class ChildReaper {
    private static var waiting: [pid_t: ChildReaper] = [:]

    private let process: Descriptor
    private let watch: DescriptorWatch

    private init(_ child: pid_t, _ process: Descriptor) {
        self.process = process
        watch = DescriptorWatch(process.rawValue, for: .reading) {
            waitpid(child, nil, WNOHANG)
            Self.waiting[child] = nil
        }
    }

    nonisolated static func reap(_ children: Set<pid_t>) {
        guard !children.isEmpty else { return }
        DBusActor.handOver {
            for child in children {
                let process = clinux_open_process(child)
                guard process >= 0 else {
                    Task { _ = await Background.run { waitpid(child, nil, 0) } }
                    continue
                }
                waiting[child] = ChildReaper(child, Descriptor(owning: process))
            }
        }
    }

    /// The child processes of this thread that nobody has waited for yet (proc_pid_task_children(5)).
    nonisolated static func childrenOfThread() -> Set<pid_t> {
        guard let file = fopen("/proc/thread-self/children", "re") else { return [] }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&text, 1, text.count, file)
        return Set(String(decoding: text[..<count], as: UTF8.self).split(separator: " ").compactMap { pid_t($0) })
    }

    isolated deinit { watch.end() }
}
