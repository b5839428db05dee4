import CLinux
import Glibc
import IPCTools

import class IPCDBus.DBusActor
import class IPCDBus.Descriptor
import class IPCDBus.DescriptorWatch

/// A connection to a Wayland compositor, on the I/O thread: its objects, and messages with descriptors. The protocol is
/// implemented here, because a library would save little for a dozen requests.
@DBusActor
final class WaylandConnection {
    typealias Handler = (inout WaylandEvent) -> Void

    /// The ID of the display, the only object that exists from the start.
    private static let displayObject: UInt32 = 1

    private let socket: Descriptor
    private var incoming: [UInt8] = []
    private var descriptors: [Descriptor] = []
    private var handlers: [UInt32: Handler] = [:]
    private var last = WaylandConnection.displayObject
    private var registry: UInt32 = 0
    /// The numbers of the compositor's global objects, by interface.
    private var globals: [String: UInt32] = [:]
    private var watch: DescriptorWatch?
    private var hasEnded = false
    private var awaited: [CheckedContinuation<Void, Never>] = []

    /// Called once when the compositor has closed the connection.
    var ended: () -> Void = {}

    /// Connects to a compositor, as `wl_display_connect(3)` does, and reads its global objects.
    init(_ display: Display) throws(ToolFailure) {
        let path = display.socket ?? ""
        socket = Descriptor(owning: Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw display.unusable("its path is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let failed = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
            }
        }
        guard !failed else { throw display.unusable(String(cString: strerror(errno))) }
        _ = fcntl(socket.rawValue, F_SETFL, O_NONBLOCK)
        handle(Self.displayObject) { [weak self] event in
            // error(object, code, message) is the last event; delete_id(id) announces that an object no longer exists.
            if event.opcode == 0 { self?.end() } else { self?.handlers[event.number()] = nil }
        }
        registry = newObject { [weak self] event in
            // global(name, interface, version)
            guard event.opcode == 0 else { return }
            let name = event.number()
            self?.globals[event.text()] = name
        }
        // get_registry(registry)
        send(Self.displayObject, 1, registry)
        roundTrip()
    }

    /// Starts reading events on the I/O thread.
    func begin() {
        watch = DescriptorWatch(socket.rawValue, for: .reading) { [weak self] in self?.read() }
        read()
    }

    /// Disconnects, without calling ``ended``.
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

    /// Returns the ID of a new object. The next request must create this object, because IDs must not have gaps.
    func newObject(_ handler: @escaping Handler = { _ in }) -> UInt32 {
        last += 1
        handlers[last] = handler
        return last
    }

    /// Creates an object of the first of these interfaces that the compositor has, in version 1; `nil` if it has none.
    func bind(_ interfaces: String...) -> UInt32? {
        for interface in interfaces {
            guard let name = globals[interface] else { continue }
            let object = newObject()
            // bind(name, id), where the id includes the interface and the version
            send(registry, 0, name, interface, UInt32(1), object)
            return object
        }
        return nil
    }

    /// Sets the handler for the events of an object, which this client or the compositor has created.
    func handle(_ object: UInt32, _ handler: @escaping Handler) { handlers[object] = handler }

    func forget(_ object: UInt32) { handlers[object] = nil }

    func nextDescriptor() -> Descriptor? { descriptors.isEmpty ? nil : descriptors.removeFirst() }

    /// Sends a request. Waits if the socket is full: the compositor soon reads, or closes the connection.
    func send(_ object: UInt32, _ opcode: UInt16, _ arguments: any WaylandArgument..., passing: CInt? = nil) {
        var rest = WaylandRequest.message(to: object, opcode, arguments)[...]
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
                // The failed write is not reported here, because reading notices that the compositor has disconnected.
                return
            }
        }
    }

    /// Waits until the compositor has answered all requests. Use this before ``begin()``.
    func roundTrip() {
        var isDone = false
        send(Self.displayObject, 0, newObject { _ in isDone = true })
        while !isDone, !hasEnded {
            wait(for: POLLIN)
            read()
        }
    }

    /// Returns once the compositor has answered all requests or closed the connection. Use this after ``begin()``.
    func answered() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { continuation in
            awaited.append(continuation)
            send(Self.displayObject, 0, newObject { [weak self] _ in self?.answeredFirst() })
        }
    }

    /// Resumes the first waiting ``answered()``, because the compositor answers requests in order.
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
            var rest = incoming[...]
            while !hasEnded, var event = WaylandEvent(from: &rest) {
                // Events for a forgotten object may still arrive.
                handlers[event.object]?(&event)
            }
            incoming = Array(rest)
        }
    }
}
