import Foundation
import IPCTesting

/// A method call whose parts need not fit together.
struct WireCall: Sendable, Hashable {
    var destination = BrokerProcess.busName
    var path = Self.broker
    var interface: String
    var member: String
    var body: [WireValue] = []
    /// A sender field, which only a bus may set.
    var sender: String?
    /// The signature to send instead of the body's own, if any.
    var signature: String?

    static let broker = "/org/swiftipc/Broker1"

    init(_ interface: String, _ member: String, _ body: [WireValue] = [], at path: String = Self.broker) {
        self.interface = interface.contains(".") ? interface : "org.swiftipc.\(interface)"
        self.member = member
        self.body = body
        self.path = path
    }

    fileprivate var json: String {
        let types = body.map(\.signature).joined()
        return #""destination":\#(JSON.text(destination)),"path":\#(JSON.text(path)),"#
            + #""interface":\#(JSON.text(interface)),"member":\#(JSON.text(member)),"#
            + (sender.map { #""sender":\#(JSON.text($0)),"# } ?? "")
            + #""signature":\#(JSON.text(signature ?? types)),"types":\#(JSON.text(types)),"body":[\#(body.map(\.json).joined(separator: ","))]"#
    }
}

/// A reply or an incoming message.
struct WireMessage: Sendable, CustomStringConvertible {
    /// The message as the peer reports it.
    fileprivate let values: JSONValue
    fileprivate let json: String

    fileprivate init(_ line: String) throws {
        json = line
        values = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
        if let command = values["timeout"]?.text {
            throw HarnessError("The bus was silent until the deadline of \(command)")
        }
    }

    /// A call that the peer never got, so that it can forge an answer.
    static func call(from sender: String, serial: Int) throws -> WireMessage {
        try WireMessage(#"{"sender":\#(JSON.text(sender)),"serial":\#(serial)}"#)
    }

    /// The name of an error; `nil` for anything else.
    var error: String? { values["error"]?.text }
    /// The error message.
    var text: String { body.first?.text ?? "" }
    /// The arguments.
    var body: [JSONValue] { values["body"]?.elements ?? [] }
    /// The sender.
    var sender: String? { values["sender"]?.text }
    /// Whether the bus has closed the connection.
    var gone: Bool { values["gone"] != nil }
    /// A key of the first argument, which is a dictionary.
    subscript(key: String) -> JSONValue? { body.first?[key] }

    var description: String { gone ? "the bus ended the connection" : error.map { "\($0): \(text)" } ?? "\(body)" }
}

/// A peer on the bus that builds its messages by hand, over any number of connections. It can send messages that no
/// library would send, stop in the middle of a message, and vanish at any moment.
struct WirePeer: Sendable {
    private let program: PythonPeer
    private let bus: PrivateBus

    static func start() async throws -> WirePeer {
        WirePeer(program: try await PythonPeer.start(WirePeerScript.text), bus: try PrivateBus.current)
    }

    private func run(
        _ verb: String, _ connection: String, _ rest: String = "", deadline: Duration = usualDeadline
    ) async throws -> WireMessage {
        let tail = rest.isEmpty ? "" : "," + rest
        return try WireMessage(
            try await program.ask(#"{"verb":"\#(verb)","on":"\#(connection)"\#(tail)}"#, deadline: deadline))
    }

    /// How far a connection is set up.
    enum Stage: String, Sendable {
        case connect
        case authenticating = "AUTH"
        case authenticated = "BEGIN"
        case greeted = "Hello"
    }

    /// Opens a connection; returns its unique name once it has sent `Hello`.
    ///
    /// - Parameters:
    ///     - descriptors: whether it negotiates descriptor passing.
    ///     - orphaned: whether the process that opened it has exited.
    ///     - socket: the socket to connect to instead of the bus.
    @discardableResult
    func open(
        _ connection: String, until stage: Stage = .greeted, descriptors: Bool = false, orphaned: Bool = false,
        socket: String? = nil
    ) async throws -> String {
        let answer = try await run(
            "open", connection,
            #""socket":\#(JSON.text(socket ?? bus.socketPath)),"until":"\#(stage.rawValue)","passes":\#(descriptors),"#
                + #""orphaned":\#(orphaned)"#)
        return answer.values["name"]?.text ?? ""
    }

    /// Requests a direct connection from the broker, over a connection to the bus.
    /// - Returns: the path of the socket, for ``open(_:until:descriptors:orphaned:socket:)``.
    func socket(
        of connection: String, _ options: KeyValuePairs<String, WireValue> = [:]
    ) async throws -> String {
        let answer = try await call(WireCall("Broker1", "Connect", [.options(options)]), on: connection)
        guard let path = answer.body.first?["path"]?.text else { throw HarnessError("Connect: \(answer)") }
        return path
    }

    /// Opens a direct connection on behalf of a bus connection; returns the name in the reply to `Hello`.
    @discardableResult
    func openDirect(
        _ connection: String, of owner: String, _ options: KeyValuePairs<String, WireValue> = [:]
    ) async throws -> String {
        try await open(connection, descriptors: true, socket: try await socket(of: owner, options))
    }

    /// Tries to connect to a socket, and closes the connection; returns the system error, if there was one.
    func connectError(_ path: String) async throws -> String? {
        try await run("connect", "", #""socket":\#(JSON.text(path))"#).error
    }

    /// Closes a connection without any further message.
    /// - Returns: how often the connection received a second answer to a call.
    @discardableResult
    func close(_ connection: String) async throws -> Int {
        try await run("close", connection).values["twice"]?.number ?? 0
    }

    /// Makes a call, and waits for the answer.
    func call(_ call: WireCall, on connection: String = "caller") async throws -> WireMessage {
        try await run("call", connection, call.json)
    }

    /// Sends a call, and returns its serial.
    func send(_ call: WireCall, on connection: String = "caller", flags: Int = 0) async throws -> Int {
        try await run("send", connection, call.json + #","flags":\#(flags)"#).values["serial"]?.number ?? 0
    }

    /// Sends the first part of the bytes of a call, given as a fraction from 0 to 1.
    func send(_ part: Double, of call: WireCall, on connection: String) async throws {
        _ = try await run("part", connection, call.json + #","part":\#(part)"#)
    }

    func send(_ bytes: [UInt8], on connection: String) async throws {
        _ = try await run("raw", connection, #""hex":"\#(JSON.hexadecimal(bytes))""#)
    }

    /// Waits for the answer to a call.
    func reply(_ serial: Int, on connection: String = "caller") async throws -> WireMessage {
        try await run("reply", connection, #""serial":\#(serial)"#)
    }

    /// Waits for a call of a method.
    func nextCall(_ member: String, on connection: String) async throws -> WireMessage {
        try await run("next", connection, #""member":"\#(member)""#)
    }

    /// Waits for a signal.
    func nextSignal(_ member: String, on connection: String) async throws -> WireMessage {
        try await run("signal", connection, #""member":"\#(member)""#)
    }

    /// Answers a call.
    func answer(_ call: WireMessage, _ body: [WireValue], error: String? = nil, on connection: String) async throws {
        let signature = body.map(\.signature).joined()
        let error = error.map { #","error":\#(JSON.text($0))"# } ?? ""
        _ = try await run(
            "answer", connection,
            #""call":\#(call.json),"signature":\#(JSON.text(signature)),"body":[\#(body.map(\.json).joined(separator: ","))]"#
                + error)
    }

    /// The results of the same call, made many times.
    struct Tries: Sendable, CustomStringConvertible {
        /// The number of each result, keyed by the error name or `accepted`.
        let tally: [String: Int]
        /// How often each value was read back after an accepted call, keyed by its size and digest.
        let read: [String: Int]

        var description: String { "\(tally) \(read)" }
    }

    /// What happens to the descriptor of a call while the call is in progress.
    enum Meddling: String, Sendable {
        case flip, truncate, seal
    }

    /// Makes a call with a descriptor this many times, and after each accepted call reads the content back with the
    /// call `reading`.
    func tries(
        _ count: Int, of call: WireCall, meddling: Meddling? = nil, reading: WireCall, on connection: String = "caller"
    ) async throws -> Tries {
        let meddle = meddling.map { #","meddle":"\#($0.rawValue)""# } ?? ""
        let answer = try await run(
            "tries", connection, call.json + #","count":\#(count),"read":{\#(reading.json)}"# + meddle,
            deadline: .seconds(300))
        func numbers(_ key: String) -> [String: Int] {
            guard case .object(let members)? = answer.values[key] else { return [:] }
            return members.compactMapValues(\.number)
        }
        return Tries(tally: numbers("tally"), read: numbers("digests"))
    }

    /// The digest of the content of a descriptor, or of ``WireValue/bytes(_:seed:)``.
    func digest(_ size: Int, seed: Int = 1) async throws -> String {
        try await run("digest", "", #""size":\#(size),"seed":\#(seed)"#).values["digest"]?.text ?? ""
    }

    /// Sends a signal to every connection, or to one, this many times.
    func broadcast(
        _ interface: String, _ member: String, _ body: [WireValue], at path: String = "/", to destination: String = "",
        count: Int = 1, on connection: String = "caller"
    ) async throws {
        var call = WireCall(interface, member, body, at: path)
        call.destination = destination
        _ = try await run("broadcast", connection, call.json + #","count":\#(count)"#)
    }

    /// Sends a signal to the peer's process.
    func signal(_ number: Int32) { program.process.signal(number) }

    /// Waits until the bus has closed a connection.
    func waitForEnd(of connection: String) async throws { _ = try await run("ended", connection) }

    /// The number of answers that a connection has received so far to calls that were already answered.
    func answeredTwice(on connection: String = "caller") async throws -> Int {
        try await run("twice", connection).values["twice"]?.number ?? 0
    }

    /// The number of signals with this name that a connection has received and the test has not yet read.
    func heardSignals(_ member: String, on connection: String) async throws -> Int {
        try await run("heard", connection, #""member":"\#(member)""#).values["heard"]?.number ?? 0
    }

    /// The number of calls that a connection has received and the test has not yet read.
    func waitingCalls(on connection: String) async throws -> Int {
        try await run("waiting", connection).values["waiting"]?.number ?? 0
    }
}
