import IPCTesting
import Testing

/// A broker, callers, and a handler whose every step the test controls: connections of one ``WirePeer``.
struct DeliveryScene: Sendable {
    let broker: BrokerProcess
    let peer: WirePeer
    let bus: PrivateBus

    /// The application that handles ``scheme``, on the connection `handler`.
    static let application = "demo.Handler"
    static let scheme = "handler.demo"
    /// A time-out longer than a ``WirePeer`` waits for a reply: if a reply arrives, the time-out did not cause it.
    static let longTimeout = WireValue.u(60_000)
    /// A URL that the handler handles.
    static func url(_ path: String = "x") -> String { "\(scheme):\(path)" }
    /// A unique request id.
    static func newID() -> String { "request-\(UInt64.random(in: 0 ... .max))-\(UInt64.random(in: 0 ... .max))" }

    /// - Parameter limits: the values of the broker's option `--limit`, such as `history=9`.
    static func start(limits: [String] = [], handler: Bool = true) async throws -> DeliveryScene {
        var settings = BrokerProcess.Settings()
        settings.arguments = limits.flatMap { ["--limit", $0] }
        let scene = DeliveryScene(
            broker: try await BrokerProcess.start(settings), peer: try await WirePeer.start(), bus: try .current)
        for connection in ["caller", "witness"] { try await scene.peer.open(connection) }
        if handler { try await scene.openHandler() }
        return scene
    }

    /// Opens a connection that owns the application's name and claims its scheme.
    /// - Returns: its unique name.
    @discardableResult
    func openHandler(window: UInt32 = 1, persistent: Bool = false) async throws -> String {
        let unique = try await peer.open("handler")
        try await succeed(.bus("RequestName", [.s(Self.application), .u(4)]), on: "handler")
        try await succeed(.register(Self.application, [Self.scheme], ["window": .u(window)]), on: "handler")
        if persistent { try await claim() }
        return unique
    }

    /// Makes a persistent claim for the application while no program owns its name.
    func claim() async throws {
        try await succeed(.register(Self.application, [Self.scheme], ["persistent": .b(true)]))
    }

    @discardableResult
    func succeed(_ call: WireCall, on connection: String = "witness") async throws -> WireMessage {
        let answer = try await peer.call(call, on: connection)
        guard answer.error == nil, !answer.gone else { throw HarnessError("\(call.member): \(answer)") }
        return answer
    }

    /// Makes a call that must be rejected with this error, and returns the error message.
    @discardableResult
    func expectError(
        _ name: String, of call: WireCall, on connection: String = "witness",
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let answer = try await peer.call(call, on: connection)
        #expect(answer.error == "org.swiftipc.Error.\(name)", "\(call.member): \(answer)", sourceLocation: location)
        #expect(!answer.text.isEmpty, sourceLocation: location)
        return answer.text
    }

    // MARK: Requests

    /// Sends a waiting request on a connection; returns the serial of the call.
    func send(
        _ id: String, _ path: String = "x", on connection: String = "caller",
        _ options: KeyValuePairs<String, WireValue> = ["timeout": longTimeout]
    ) async throws -> Int {
        try await peer.send(Self.open(id, path, options), on: connection)
    }

    /// Queues a request, and returns its id.
    @discardableResult
    func queue(
        _ path: String = "x", id: String = newID(), on connection: String = "caller",
        _ options: KeyValuePairs<String, WireValue> = [:]
    ) async throws -> String {
        let entries = KeyValuePairs(dictionaryLiteral: ("queue", WireValue.b(true)))
        let answer = try await succeed(Self.open(id, path, entries, options), on: connection)
        #expect(answer["id"]?.text == id)
        #expect(answer["outcome"]?.text == "queued", "\(answer)")
        return id
    }

    /// A call that opens one of the handler's URLs with an id.
    static func open(_ id: String, _ path: String = "x", _ options: KeyValuePairs<String, WireValue>...) -> WireCall {
        let entries = [("id", WireValue.s(id))] + options.flatMap { $0.map { ($0.key, $0.value) } }
        return WireCall("URLs1", "OpenURL", [.s(url(path)), .dictionary(entries)])
    }

    /// The next request that the handler receives.
    func next(on connection: String = "handler") async throws -> HandedRequest {
        HandedRequest(call: try await peer.nextCall("OpenURL", on: connection))
    }

    /// Sends the handler's answer.
    func answer(
        _ request: HandedRequest, _ outcome: String = "handled",
        _ reply: KeyValuePairs<String, WireValue> = [:], on connection: String = "handler"
    ) async throws {
        try await peer.answer(request.call, [.s(outcome), .options(reply)], on: connection)
    }

    /// The broker's information about a request.
    func facts(_ id: String) async throws -> WireMessage { try await succeed(.getRequest(id)) }

    /// Waits for a request to end.
    func end(_ id: String) async throws -> WireMessage { try await succeed(.waitRequest(id)) }

    /// The steps of a request, as names.
    func steps(_ id: String) async throws -> [String] {
        try await trace(id).compactMap { $0["step"]?.text }
    }

    /// The steps of a request, except attempts to start a handler that cannot be started.
    func trace(_ id: String) async throws -> [JSONValue] {
        (try await succeed(.traceRequest(id)).body[0].elements ?? [])
            .filter { !["starting", "start-failed"].contains($0["step"]?.text) }
    }

    /// Whether the bus has been asked to start the handler for a request, which the broker need not know yet.
    func isStarting(_ id: String) async throws -> Bool {
        let answer = try await peer.call(.traceRequest(id), on: "witness")
        return answer.body.first?.elements?.contains { $0["step"]?.text == "starting" } ?? false
    }

    /// Closes a connection, and returns when the bus has notified all other connections.
    func leave(_ connection: String, _ unique: String) async throws {
        try await succeed(.bus("AddMatch", [.s("type='signal',member='NameOwnerChanged',arg0='\(unique)'")]))
        try await peer.close(connection)
        _ = try await peer.nextSignal("NameOwnerChanged", on: "witness")
        // The bus notifies the broker before it passes on this call. So once the broker answers, it knows that the
        // connection is closed.
        try await succeed(.describe())
    }
}

/// A request as its handler receives it.
struct HandedRequest: Sendable {
    let call: WireMessage

    var id: String { call.body[0].text ?? "" }
    var url: String { call.body[1].text ?? "" }
    var path: String { String(url.drop { $0 != ":" }.dropFirst()) }
    var attempt: Int { call.body[2]["attempt"]?.number ?? 0 }
    subscript(key: String) -> JSONValue? { call.body[2][key] }
}
