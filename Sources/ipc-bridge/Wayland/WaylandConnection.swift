import CLinux
import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor
import class IPCDBus.DescriptorWatch

/// A connection to a Wayland compositor, on the I/O thread: its objects, and messages with descriptors. The protocol is spoken here,
/// since of a dozen requests there is little left that a library would do.
@DBusActor
final class WaylandConnection {
    typealias Handler = (inout WaylandEvent) -> Void

    /// The object that is there from the start.
    static let displayObject: UInt32 = 1

    private let socket: Descriptor
    private var incoming: [UInt8] = []
    private var descriptors: [Descriptor] = []
    private var handlers: [UInt32: Handler] = [:]
    private var last = WaylandConnection.displayObject
    private var watch: DescriptorWatch?
    private var hasEnded = false
    private var awaited: [CheckedContinuation<Void, Never>] = []

    /// Runs once when the compositor has ended the connection.
    var ended: () -> Void = {}

    /// Connects to the compositor of the environment, `wl_display_connect(3)`.
    static func open() throws(ToolFailure) -> WaylandConnection {
        let name = getenv("WAYLAND_DISPLAY").map { String(cString: $0) } ?? ""
        let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        let socket = Descriptor(owning: Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .noWayland(name, "its path is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let failed = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
            }
        }
        guard !failed else { throw .noWayland(name, String(cString: strerror(errno))) }
        return WaylandConnection(socket)
    }

    private init(_ socket: Descriptor) {
        self.socket = socket
        _ = fcntl(socket.rawValue, F_SETFL, O_NONBLOCK)
        handle(Self.displayObject) { [weak self] event in
            // error(object, code, message), after which nothing comes; delete_id(id) says that no event of it will.
            if event.opcode == 0 { self?.end() } else { self?.handlers[event.number()] = nil }
        }
    }

    /// Reads from now on.
    func begin() {
        watch = DescriptorWatch(socket.rawValue, for: .reading) { [weak self] in self?.read() }
        read()
    }

    /// Takes no more events.
    func close() {
        hasEnded = true
        ended = {}
        watch?.end()
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        handlers = [:]
        while !awaited.isEmpty { answeredFirst() }
    }

    private func end() {
        guard !hasEnded else { return }
        let ended = ended
        close()
        ended()
    }

    // MARK: Objects

    /// The id of an object that the next request makes: the ids have no gaps.
    func newObject(_ handler: @escaping Handler = { _ in }) -> UInt32 {
        last += 1
        handlers[last] = handler
        return last
    }

    /// Hears the events of an object, also of one that the compositor has made.
    func handle(_ object: UInt32, _ handler: @escaping Handler) { handlers[object] = handler }

    func forget(_ object: UInt32) { handlers[object] = nil }

    /// The next descriptor that has come; nil where there is none.
    func nextDescriptor() -> Descriptor? { descriptors.isEmpty ? nil : descriptors.removeFirst() }

    // MARK: Messages

    /// Sends a request. The compositor reads at once, or ends the connection: so it is waited for.
    func send(_ object: UInt32, _ opcode: UInt16, _ arguments: any WaylandArgument..., passing: CInt? = nil) {
        var request = WaylandRequest()
        for argument in arguments { argument.add(to: &request) }
        var rest = request.message(to: object, opcode)[...]
        var passed = passing.map { [$0] } ?? []
        while !rest.isEmpty, !hasEnded {
            let sent = rest.withUnsafeBytes { bytes in
                var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                return clinux_send(socket.rawValue, &part, 1, passed, CInt(passed.count))
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
                passed = []
            } else if errno == EAGAIN {
                wait(for: POLLOUT)
            } else if errno != EINTR {
                // The end is told by reading.
                return
            }
        }
    }

    /// Waits until the compositor has answered all that was sent so far; before ``begin()``.
    func roundTrip() {
        var isDone = false
        send(Self.displayObject, 0, newObject { _ in isDone = true })
        while !isDone, !hasEnded {
            wait(for: POLLIN)
            read()
        }
    }

    /// Returns when the compositor has done all that was sent so far, or has ended the connection; after ``begin()``.
    func answered() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { continuation in
            awaited.append(continuation)
            send(Self.displayObject, 0, newObject { [weak self] _ in self?.answeredFirst() })
        }
    }

    /// Answers come in the order of the questions.
    private func answeredFirst() {
        if !awaited.isEmpty { awaited.removeFirst().resume() }
    }

    private func wait(for event: Int32) {
        var state = pollfd(fd: socket.rawValue, events: Int16(event), revents: 0)
        while poll(&state, 1, -1) < 0 && errno == EINTR {}
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while !hasEnded {
            var passed = [CInt](repeating: -1, count: Int(CLINUX_MOST_DESCRIPTORS))
            var count: CInt = 0
            let received = clinux_receive(socket.rawValue, &chunk, chunk.count, &passed, &count)
            descriptors += passed.prefix(Int(count)).map { Descriptor(owning: $0) }
            if received < 0 && errno == EINTR { continue }
            if received < 0 && errno == EAGAIN { break }
            guard received > 0 else { return end() }
            incoming += chunk.prefix(received)
            takeEvents()
        }
    }

    private func takeEvents() {
        var rest = incoming[...]
        while !hasEnded, var event = WaylandEvent(from: &rest) {
            // Of an object that was given up there may be events on their way.
            handlers[event.object]?(&event)
        }
        incoming = Array(rest)
    }
}

extension ToolFailure {
    static func noWayland(_ display: String, _ reason: String) -> ToolFailure {
        ToolFailure(
            name: "NoDisplay", message: "the Wayland display “\(display)” cannot be used: \(reason)", exit: .unavailable
        )
    }
}
