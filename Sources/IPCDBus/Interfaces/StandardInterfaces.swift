internal import Glibc

/// D-Bus specification, "Standard Interfaces".
enum StandardInterface: String, CaseIterable {
    case introspectable = "org.freedesktop.DBus.Introspectable"
    case peer = "org.freedesktop.DBus.Peer"
    case properties = "org.freedesktop.DBus.Properties"

    var methodNames: [String] {
        switch self {
        case .introspectable: ["Introspect"]
        case .peer: ["Ping", "GetMachineId"]
        case .properties: ["Get", "GetAll", "Set"]
        }
    }

    var description: InterfaceDescription {
        switch self {
        case .introspectable: InterfaceDescription(Introspectable.name, Introspectable.introspect)
        case .peer: InterfaceDescription(Peer.name, Peer.ping, Peer.getMachineID)
        case .properties:
            InterfaceDescription(Properties.name, Properties.get, Properties.getAll, Properties.set, Properties.changed)
        }
    }
}

public enum Introspectable {
    public static let name: InterfaceName = "org.freedesktop.DBus.Introspectable"
    public static let introspect = Method(name, "Introspect", takes: .none, returns: .of(Argument<String>("xml_data")))
}

public enum Peer {
    public static let name: InterfaceName = "org.freedesktop.DBus.Peer"
    public static let ping = Method(name, "Ping", takes: .none, returns: .none)
    public static let getMachineID = Method(
        name, "GetMachineId", takes: .none, returns: .of(Argument<String>("machine_uuid")))
}

public enum Properties {
    public static let name: InterfaceName = "org.freedesktop.DBus.Properties"
    public static let get = Method(
        name, "Get", takes: .of(Argument<String>("interface_name"), Argument<String>("property_name")),
        returns: .of(Argument<Value>("value")))
    public static let getAll = Method(
        name, "GetAll", takes: .of(Argument<String>("interface_name")),
        returns: .of(Argument<[String: Value]>("properties")))
    public static let set = Method(
        name, "Set",
        takes: .of(Argument<String>("interface_name"), Argument<String>("property_name"), Argument<Value>("value")),
        returns: .none)
    public static let changed = Signal(
        name, "PropertiesChanged",
        carries: .of(
            Argument<String>("interface_name"), Argument<[String: Value]>("changed_properties"),
            Argument<[String]>("invalidated_properties")))
}

/// What tells this machine from others (machine-id(5)).
enum MachineID {
    /// Blocks for the reading of a file; `nil` where the machine has none.
    static func read() -> String? {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            let id = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { room in
                Glibc.read(file, room.baseAddress, 32) == 32 ? String(decoding: room, as: UTF8.self) : nil
            }
            if let id, id.allSatisfy(\.isHexDigit) { return id }
        }
        return nil
    }
}
