private import CLinux
internal import Glibc

/// Where to find a message bus.
public enum BusAddress: Sendable, Hashable {
    /// `DBUS_SESSION_BUS_ADDRESS`, or else the socket `bus` in `XDG_RUNTIME_DIR`. Nothing else is tried.
    case session
    /// `DBUS_SYSTEM_BUS_ADDRESS`, or else the standard socket.
    case system
    /// A D-Bus address (D-Bus specification, "Server addresses").
    case address(String)

    /// This address or, in a test with a private session, the address of its bus in place of the session bus. A
    /// connection keeps the result, because it reconnects outside the task that opened it.
    var inCurrentTask: BusAddress {
        guard self == .session, let test = SessionEnvironment.ofTest else { return self }
        return .address(test["DBUS_SESSION_BUS_ADDRESS"] ?? "")
    }

    /// The servers to try, in order.
    /// - Throws: ``ConnectionError/noBus(reason:)`` if the address is unknown or malformed.
    func resolve() throws(ConnectionError) -> [ServerAddress] {
        switch self {
        case .address(let text): return try ServerAddress.list(Array(text.utf8))
        case .system:
            return try ServerAddress.list(
                Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? Array("unix:path=/var/run/dbus/system_bus_socket".utf8))
        case .session:
            if let text = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return try ServerAddress.list(text) }
            guard let directory = Self.environment("XDG_RUNTIME_DIR") else { throw Self.unknownSession }
            let socket = directory + Array("/bus".utf8)
            guard access((socket + [0]).map(CChar.init(bitPattern:)), F_OK) == 0 else { throw Self.unknownSession }
            return try ServerAddress.list(Array("unix:path=\(ServerAddress.escaped(socket))".utf8))
        }
    }

    private static let unknownSession = ConnectionError.noBus(
        reason: "DBUS_SESSION_BUS_ADDRESS is not set and there is no socket $XDG_RUNTIME_DIR/bus")

    /// Whether this is the machine's system bus, even if its address is written differently.
    /// - Throws: ``ConnectionError/noBus(reason:)`` if the address is unknown or malformed.
    public var isSystemBus: Bool {
        get throws(ConnectionError) { !Set(try resolve()).isDisjoint(with: try BusAddress.system.resolve()) }
    }

    /// The bytes of an environment variable; `nil` if it is empty or not set. Also `nil` if this program runs with
    /// more rights than the user who started it and set the variable (secure_getenv(3)).
    private static func environment(_ name: String) -> [UInt8]? {
        guard let value = clinux_environment(name), value.pointee != 0 else { return nil }
        return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
