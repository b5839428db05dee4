internal import Glibc

/// Where a message bus is.
public enum BusAddress: Sendable, Hashable {
    /// `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `XDG_RUNTIME_DIR`; nothing else is tried.
    case session
    /// `DBUS_SYSTEM_BUS_ADDRESS`, else the standard socket.
    case system
    /// A D-Bus address (D-Bus specification, "Server addresses").
    case address(String)

    /// The addresses to try, in order.
    /// - Throws: ``ConnectionError/noBus(reason:)`` when none is known, or none is a unix socket: others start a process
    ///   (`autolaunch:`, `unixexec:`), or leave the machine (`tcp:`).
    func resolve() throws(ConnectionError) -> [String] {
        switch self {
        case .address(let text): return try Self.usable(text)
        case .system:
            return try Self.usable(
                Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket")
        case .session:
            if let text = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return try Self.usable(text) }
            guard let directory = Self.environment("XDG_RUNTIME_DIR"), access("\(directory)/bus", F_OK) == 0 else {
                throw .noBus(
                    reason: "DBUS_SESSION_BUS_ADDRESS is not set and there is no socket $XDG_RUNTIME_DIR/bus")
            }
            return ["unix:path=\(Self.escaped("\(directory)/bus"))"]
        }
    }

    /// Whether this is the machine's system bus, also under another name.
    public var isSystemBus: Bool {
        get throws(ConnectionError) { !Set(try resolve()).isDisjoint(with: try BusAddress.system.resolve()) }
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func usable(_ text: String) throws(ConnectionError) -> [String] {
        guard !text.utf8.contains(0) else { throw .noBus(reason: "the bus address contains a NUL character") }
        let all = text.split(separator: ";").map(String.init)
        let safe = all.filter { address in
            address.hasPrefix("unix:")
        }
        guard !safe.isEmpty else {
            throw .noBus(
                reason: "the bus address “\(text)” names no unix socket; addresses of other kinds are not followed")
        }
        return safe
    }

    /// D-Bus specification, "Server addresses": bytes outside `[-0-9A-Za-z_/.\*]` are percent-encoded.
    static func escaped(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if NameGrammar.isWordByte(byte) || "-/.\\*".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
