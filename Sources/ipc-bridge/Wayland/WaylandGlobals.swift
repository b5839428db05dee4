import class IPCDBus.DBusActor

/// What a compositor has for every client: `wl_registry`.
@DBusActor
final class WaylandGlobals {
    private let connection: WaylandConnection
    private var registry: UInt32 = 0
    private var names: [String: UInt32] = [:]

    /// Returns when the compositor has told all of them.
    init(_ connection: WaylandConnection) {
        self.connection = connection
        registry = connection.newObject { [weak self] event in
            // global(name, interface, version)
            guard event.opcode == 0 else { return }
            let name = event.number()
            self?.names[event.text()] = name
        }
        // get_registry(registry)
        connection.send(WaylandConnection.displayObject, 1, registry)
        connection.roundTrip()
    }

    /// Makes an object, of the first of these interfaces that there is, in its first version.
    func bind(_ interfaces: [String]) -> UInt32? {
        for interface in interfaces {
            guard let name = names[interface] else { continue }
            let object = connection.newObject()
            // bind(name, id), of which the id names interface and version too
            connection.send(registry, 0, name, interface, UInt32(1), object)
            return object
        }
        return nil
    }
}
