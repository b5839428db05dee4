import IPCDBus

/// A method call that does nothing, to compare `IPCDBus` with libdbus in C.
@DBusActor
enum Echo {
    private static let interface: InterfaceName = "floor.Echo"
    private static let method = Method<[UInt8], Void>(
        interface, "Echo", takes: .of(Argument("bytes")), returns: .none)

    /// `echo-server name=floor.Swift`, or `echo-server path=SOCKET` without a bus: answers calls until it is killed.
    static func serve(_ settings: Settings) async throws {
        let objects = ObjectServer()
        objects.export(
            [
                ExportedInterface(
                    InterfaceDescription(interface, "", [method.description]),
                    methods: [
                        method.answered { (_, _) in }
                    ])
            ], at: "/")
        let path = settings.text("path", "")
        if path.isEmpty {
            let connection = try await Connection.open(.session, objects: objects)
            _ = try await connection.requestName(try BusName(settings.text("name", "floor.Swift")))
            say("ready")
            await connection.ended()
        } else {
            let listener = try PeerListener("unix:path=\(path)", objects: objects)
            say("ready")
            await forever()
            listener.close()
        }
    }

    /// `echo-client count=1000 window=1 bytes=16`, with `name=floor.Swift` or `path=SOCKET`: measures the calls.
    static func call(_ settings: Settings) async throws {
        let path = settings.text("path", "")
        let connection: Connection =
            path.isEmpty ? try await .open(.session) : try await .openPeer("unix:path=\(path)")
        let name = path.isEmpty ? try BusName(settings.text("name", "floor.Swift")) : nil
        let bytes = [UInt8](repeating: 0, count: try settings.number("bytes", 16))
        try await ClosedLoop(settings).measure { try await connection.call(method, on: name, at: "/", bytes) }
    }
}

/// Never returns; keeps the process running until it is killed.
func forever() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
