import IPCTesting
import Testing

/// A pasteboard of the broker, used over a hand-written connection.
struct WireBoard: Sendable {
    let peer: WirePeer
    let name: String
    let connection: String

    var path: String { "/org/swiftipc/Broker1/pasteboards/\(name)" }

    /// Opens a connection called `connection`, and creates the pasteboard, whose name may contain only letters and
    /// digits.
    static func make(
        _ name: String, persistent: Bool = true, on peer: WirePeer, _ connection: String = "caller"
    ) async throws -> WireBoard {
        try await peer.open(connection, descriptors: true)
        let board = WireBoard(peer: peer, name: name, connection: connection)
        try await board.make(persistent: persistent)
        return board
    }

    func make(persistent: Bool = true) async throws {
        let options = WireValue.options(["create": .b(true), "persistent": .b(persistent)])
        let made = try await call(WireCall("Pasteboards1", "GetPasteboard", [.s(name), options]))
        #expect(made.error == nil, "\(made)")
    }

    /// The same pasteboard over another connection.
    func from(_ connection: String) async throws -> WireBoard {
        try await peer.open(connection, descriptors: true)
        return WireBoard(peer: peer, name: name, connection: connection)
    }

    func call(_ call: WireCall) async throws -> WireMessage { try await peer.call(call, on: connection) }

    /// Sets a single text; returns the change count.
    @discardableResult
    func set(_ text: String, _ options: KeyValuePairs<String, WireValue> = [:]) async throws -> Int {
        try count(try await call(.setItems(.item(text), options, at: path)))
    }

    @discardableResult
    func clear(_ options: KeyValuePairs<String, WireValue> = [:]) async throws -> Int {
        try count(try await call(.clear(options, at: path)))
    }

    /// The result of `GetItems`: the change count, and the first value of each item, which is text.
    func get(_ options: KeyValuePairs<String, WireValue> = [:]) async throws -> (count: Int, texts: [String?]) {
        Self.read(try await call(.getItems(options, at: path)))
    }

    static func read(_ answer: WireMessage) -> (count: Int, texts: [String?]) {
        #expect(answer.error == nil, "\(answer)")
        let items = answer.body.dropFirst().first?.elements ?? []
        return (answer.body.first?.number ?? -1, items.map { $0[0]?[1]?.text })
    }

    /// Waits until the pasteboard has changed since a change count; returns the new count.
    func change(after count: Int) async throws -> Int {
        let answer = try await call(.waitForChange([name], since: UInt64(count)))
        return try #require(answer.body[1][0]?[1]?.number, "\(answer)")
    }

    /// The rows of `ListVersions`.
    func versions() async throws -> [JSONValue] {
        let answer = try await call(WireCall("Pasteboard1", "ListVersions", [.none], at: path))
        return try #require(answer.body.first?.elements, "\(answer)")
    }

    /// The pasteboard's metadata, as `ListPasteboards` returns it.
    func facts() async throws -> JSONValue {
        let answer = try await call(.listPasteboards(["prefix": .s(name)]))
        return try #require(answer.body[0][0]?[2], "\(answer)")
    }

    private func count(_ answer: WireMessage) throws -> Int {
        try #require(answer.body.first?.number, "\(answer)")
    }
}

/// Error names.
enum BoardErrors {
    static let noSuchItem = "org.swiftipc.Error.NoSuchItem"
    static let mismatch = "org.swiftipc.Error.ChangeCountMismatch"
    static let limitExceeded = "org.swiftipc.Error.LimitExceeded"
}
