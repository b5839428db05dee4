import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// A handler that accepts requests and never answers anything.
@DBusActor
final class DeafHandler {
    private let connection: Connection
    private let requests: AsyncStream<Void>

    /// - Parameter cancelled: runs when the broker tells the handler that a request is cancelled.
    init(_ application: String, _ scheme: String, cancelled: @escaping @DBusActor () -> Void) async throws {
        let (requests, request) = AsyncStream.makeStream(of: Void.self)
        self.requests = requests
        let objects = ObjectServer()
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let handler = ExportedInterface(
            URLHandler1.description,
            methods: [
                URLHandler1.openURL.answered { _, _ async throws in
                    request.yield()
                    for await _ in held {}
                    withExtendedLifetime(hold) {}
                    return (Outcome.handled.rawValue, HandlerReply())
                },
                URLHandler1.cancelURL.answered { _, _ in cancelled() },
            ])
        objects.export([handler], at: try ObjectPath(try ApplicationID(application).objectPath))
        connection = try await Connection.open(.address(try PrivateBus.current.address), objects: objects)
        _ = try await connection.requestName(try BusName(application))
        _ = try await connection.call(
            Schemes1.register, on: Broker1.busName, at: Broker1.path, (application, [scheme], RegisterOptions()))
    }

    func waitForRequest() async { for await _ in requests { return } }
}
