import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// A caller of the broker that uses only the contract, on the test's own bus.
@DBusActor
final class BrokerClient {
    let connection: Connection
    private let direct: DirectWay?

    /// - Parameters:
    ///     - objects: the objects that the broker may call here.
    ///     - isDirect: whether calls use a direct connection while there is one; by default, the environment decides.
    init(_ bus: PrivateBus? = nil, objects: ObjectServer? = nil, isDirect: Bool = DirectWay.isUsual) async throws {
        let bus = try bus ?? PrivateBus.current
        connection = try await Connection.open(.address(bus.address), objects: objects)
        direct = isDirect ? DirectWay(connection) : nil
    }

    func call<Input, Output>(
        _ method: Method<Input, Output>, at path: ObjectPath = Broker1.path, _ input: Input
    ) async throws(CallError) -> Output {
        guard let direct = await direct?.connection() else {
            return try await connection.call(
                method, on: Broker1.busName, at: path, input, timeout: .seconds(30), startsService: false)
        }
        return try await direct.call(method, on: nil, at: path, input, timeout: .seconds(30))
    }

    func path(_ board: String) throws -> ObjectPath {
        try Pasteboards1.root.appending(PasteboardName(board).pathElement)
    }

    func create(_ board: String) async throws {
        var options = GetPasteboardOptions()
        options.create = true
        _ = try await call(Pasteboards1.getPasteboard, (board, options))
    }

    @discardableResult
    func set(_ items: [PasteboardItem], on board: String) async throws -> UInt64 {
        try await call(Pasteboard1.setItems, at: path(board), (items, WriteOptions()))
    }

    func get(_ board: String) async throws -> (count: UInt64, items: [PasteboardItem]) {
        let (count, items, _) = try await call(Pasteboard1.getItems, at: path(board), GetItemsOptions())
        return (count, items.map(\.item))
    }

    /// Opens a URL with a waiting request and a payload on a pasteboard.
    func open(_ url: String, _ items: [PasteboardItem]? = nil, on board: String? = nil) async throws -> OpenURLResult {
        var options = OpenURLOptions()
        options.items = items
        options.pasteboard = board
        return try await call(URLs1.openURL, (url, options))
    }
}

/// A client's direct connection to the broker, opened on the first call, and again if it is lost.
@DBusActor
final class DirectWay {
    /// Whether direct connections are used wherever possible (`make test-direct`).
    nonisolated static var isUsual: Bool { getenv("SWIFT_IPC_ROUTE").map { String(cString: $0) } == "direct" }

    private let bus: Connection
    private var opening: Task<Connection?, Never>?
    private(set) var opened: Connection?

    init(_ bus: Connection) { self.bus = bus }

    /// The connection; `nil` if there is no broker.
    func connection() async -> Connection? {
        if let opened, opened.isConnected { return opened }
        let task =
            opening
            ?? Task { [bus] in
                guard (try? await bus.owner(of: Broker1.busName)) ?? nil != nil else { return nil }
                return try? await DirectConnection.open(for: bus)
            }
        opening = task
        let opened = await task.value
        (self.opening, self.opened) = (nil, opened)
        return opened
    }
}

/// A handler in this process: it owns the application's bus name and answers at once.
@DBusActor
final class TestHandler {
    typealias Answer = @DBusActor (String, String, OpenURLContext) async throws -> (String, HandlerReply)
    let connection: Connection
    private let direct: DirectWay?
    private var watch: NameWatch?

    /// Returns when the handler is registered. The registration is persistent, so that it outlives the broker.
    init(
        _ application: String, _ scheme: String, bus: PrivateBus? = nil, isDirect: Bool = DirectWay.isUsual,
        answer: @escaping Answer = { _, _, _ in (Outcome.handled.rawValue, HandlerReply()) }
    ) async throws {
        let bus = try bus ?? PrivateBus.current
        let objects = ObjectServer()
        let handler = ExportedInterface(
            URLHandler1.description,
            methods: [
                URLHandler1.openURL.answered { input, _ async throws in try await answer(input.0, input.1, input.2) },
                URLHandler1.cancelURL.answered { _, _ in },
            ])
        objects.export([handler], at: try ObjectPath(try ApplicationID(application).objectPath))
        connection = try await Connection.open(.address(bus.address), objects: objects)
        direct = isDirect ? DirectWay(connection) : nil
        _ = try await connection.requestName(try BusName(application))
        var options = RegisterOptions()
        options.persistent = true
        _ = try await connection.call(
            Schemes1.register, on: Broker1.busName, at: Broker1.path, (application, [scheme], options))
        guard let direct else { return }
        _ = await direct.connection()
        // After a restart of the broker, the handler needs a new direct connection.
        watch = try await connection.watchName(Broker1.busName) { _, owner in
            if owner != nil { Task { _ = await direct.connection() } }
        }
    }
}
