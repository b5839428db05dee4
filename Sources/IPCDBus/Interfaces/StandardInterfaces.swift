internal import Glibc

extension ExportedInterface {
    /// The interfaces that every path has, with or without an object (D-Bus specification, "Standard Interfaces").
    static let ofPaths = [
        ExportedInterface(
            InterfaceDescription(Introspectable.name, Introspectable.introspect),
            methods: [
                Introspectable.introspect.answered { _, call in
                    try await call.connection.objects.introspection(for: call)
                }
            ]),
        ExportedInterface(
            InterfaceDescription(Peer.name, Peer.ping, Peer.getMachineID),
            methods: [
                Peer.ping.answered { _, _ in },
                Peer.getMachineID.answered { _, _ in
                    if let id = await Background.run({ MachineID.read() }) { return id }
                    throw ErrorReply(.failed, "this machine has no id in /etc/machine-id")
                },
            ]),
    ]

    /// The standard interfaces that every object has.
    static let ofObjects =
        ofPaths + [
            ExportedInterface(
                InterfaceDescription(
                    Properties.name, Properties.get, Properties.getAll, Properties.set, Properties.changed),
                methods: [
                    Properties.get.answered { input, call in
                        try await ObjectProperties(of: call).property(input.1, of: input.0).get(call)
                    },
                    Properties.getAll.answered { interface, call in
                        try await ObjectProperties(of: call).all(in: interface)
                    },
                    ExportedMethod(
                        name: Properties.set.name.text, inputSignature: Properties.set.input.signature
                    ) { call, server in
                        do { try ObjectProperties(of: call).set() } catch { call.fail(server.wire(error, call)) }
                    },
                ])
        ]
}

/// The properties of the called object.
@DBusActor
private struct ObjectProperties {
    private let call: IncomingCall
    private let server: ObjectServer
    private let interfaces: [ExportedInterface]

    init(of call: IncomingCall) throws {
        (self.call, server) = (call, call.connection.objects)
        guard let found = server.interfaces(at: call.path) else { throw ErrorReply.noObject(at: call.path) }
        interfaces = found
    }

    func all(in interface: String) async throws -> [String: Value] {
        var values: [String: Value] = [:]
        for interface in try matching(interface) {
            if let together = interface.together {
                values.merge(try await together(call)) { $1 }
                continue
            }
            for property in interface.properties.values { values[property.name] = try await property.get(call) }
        }
        return values
    }

    /// Sets a property. A value of the wrong type is rejected without decoding it.
    func set() throws {
        var reader = MessageReader(call.message)
        let (interface, name) = (try String(from: &reader), try String(from: &reader))
        let property = try property(name, of: interface)
        guard let set = property.set else {
            throw ErrorReply(.propertyReadOnly, "the property \(name) cannot be written")
        }
        guard reader.variantHolds(property.signature) else {
            throw ErrorReply(
                server.invalidArguments,
                "the property \(name) has the type “\(property.signature)”, not “\(reader.variantSignature)”")
        }
        let value = try Value(from: &reader)
        try reader.finish()
        call.message.releaseArguments()
        DBusActor.begin {
            do {
                try await set(value, call)
                call.answer((), as: Properties.set.output)
            } catch { call.fail(server.wire(error, call)) }
        }
    }

    func property(_ property: String, of interface: String) throws -> ExportedProperty {
        guard let found = try matching(interface).lazy.compactMap({ $0.properties[property] }).first else {
            throw ErrorReply(.unknownProperty, "there is no property \(property.quotable)")
        }
        return found
    }

    /// The interfaces with this name; all if it is empty (D-Bus specification, "org.freedesktop.DBus.Properties").
    private func matching(_ name: String) throws -> [ExportedInterface] {
        if name.isEmpty { return interfaces }
        guard let interface = (interfaces + ExportedInterface.ofObjects).first(named: name) else {
            throw ErrorReply(.unknownInterface, "the object has no interface \(name.quotable)")
        }
        return [interface]
    }
}

extension [ExportedInterface] {
    func first(named name: String) -> ExportedInterface? { first { $0.description.name.text == name } }
}

extension ErrorReply {
    static func noObject(at path: ObjectPath) -> ErrorReply {
        ErrorReply(.unknownObject, "there is no object at \(path.text.quotable)")
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

/// The ID of this machine (machine-id(5)).
enum MachineID {
    /// Reads the ID from a file, which may block; `nil` if the machine has no ID.
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
