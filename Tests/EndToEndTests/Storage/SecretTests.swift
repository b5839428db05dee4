import Foundation
import IPCTesting
import Testing

/// I14: sensitive content is in memory and nowhere else.
@Suite(.privateBus, .serialized)
struct SecretTests {
    /// The marker is different in each run, so that nothing else contains it.
    private static let marker = "secret-" + String(UInt64.random(in: 0 ... .max), radix: 16)

    /// The places where the marker was found.
    private struct Places: Equatable {
        var store = false
        var log = false
        var signals = false
        var export = false
    }

    @Test func `I14: a sensitive item is found nowhere`() async throws {
        #expect(try await places(isSensitive: true) == Places())
    }

    /// The control: the same search finds content that is not sensitive, in the store and in its export.
    @Test func `an item that is not sensitive is in the store, but in no log or signal`() async throws {
        #expect(try await places(isSensitive: false) == Places(store: true, export: true))
    }

    private func places(isSensitive: Bool) async throws -> Places {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--log-level", "trace"]
        let broker = try await BrokerProcess.start(settings)
        let bus = try PrivateBus.current
        let monitor = try await RunningProcess.start("dbus-monitor", ["--session", "type='signal'"], input: .none)
        try await monitor.waitForLine { $0.contains("NameAcquired") || $0.contains("signal") }
        let peer = try await WirePeer.start()
        let boards = try await write(peer, isSensitive: isSensitive)
        var places = Places()
        try await search(&places, broker)
        let export = bus.directory.appending("export")
        try await RunningProcess.run(Binaries.path("ipc-client"), ["board", "export", export]).succeeded()
        places.export = try holdsMarker(below: export)
        for board in boards { _ = try await board.call(.getItems(at: board.path)) }
        try await search(&places, broker)
        // A last signal: when it arrives, all earlier ones have been received.
        let end = WireBoard(peer: peer, name: "end", connection: "caller")
        try await end.make()
        try await monitor.waitForLine { $0.contains("\"end\"") }
        places.signals = monitor.output.text.contains(Self.marker)
        let log = broker.log
        try await broker.restart()
        try await search(&places, broker)
        places.log = places.log || log.contains(Self.marker)
        // A secret does not outlive the broker, whether it was read or not.
        let texts = try await boards.asyncMap { try await $0.get().texts }
        #expect(texts.allSatisfy { $0.isEmpty } == isSensitive, "\(texts)")
        return places
    }

    /// Writes the marker in every possible way; returns the pasteboards that contain it.
    private func write(_ peer: WirePeer, isSensitive: Bool) async throws -> [WireBoard] {
        let marker = Self.marker
        let flag: [(String, WireValue)] = isSensitive ? [("sensitive", .b(true))] : []
        func options(_ more: (String, WireValue)...) -> WireValue { .dictionary(flag + more) }
        let hint = isSensitive ? "x-kde-passwordManagerHint" : "text/x-hint"
        let calls: [(String, String, [WireValue])] = [
            ("text", "SetItems", [.item(marker), options()]),
            ("bytes", "SetItems", [.items([[("application/x-key", .rawText(Array(marker.utf8), "ay"))]]), options()]),
            ("large", "SetItems", [.items([[("text/plain", .repeated(marker, 20_000))]]), options()]),
            ("file", "SetItems", [.items([[("text/plain", .h(.text(marker, 300_000)))]]), options()]),
            ("repeated", "SetItems", [.item(marker), options(("id", .s("6f1d1c04-5d1c-4f0e-8d54-000000000002")))]),
            ("ending", "SetItems", [.item(marker), options(("time-to-live", .t(50_000)))]),
            ("added", "AddItems", [.item(marker), options()]),
            ("type", "SetItems", [.item("x", "application/x-\(marker)"), options()]),
            ("hinted", "SetItems", [.items([[("text/plain", .s(marker)), (hint, .s("secret"))]]), .none]),
        ]
        var boards: [WireBoard] = []
        for (name, member, body) in calls {
            let board =
                boards.isEmpty
                ? try await WireBoard.make(name, on: peer) : WireBoard(peer: peer, name: name, connection: "caller")
            if !boards.isEmpty { try await board.make() }
            let answer = try await board.call(WireCall("Pasteboard1", member, body, at: board.path))
            #expect(answer.error == nil, "\(name): \(answer)")
            boards.append(board)
        }
        return boards
    }

    private func search(_ places: inout Places, _ broker: BrokerProcess) async throws {
        if try holdsMarker(below: broker.store) { places.store = true }
        if broker.log.contains(Self.marker) { places.log = true }
    }

    /// Whether any file in a folder contains the marker, in its bytes or its name.
    private func holdsMarker(below directory: String) throws -> Bool {
        for name in FileContents.names(in: directory) ?? [] {
            let path = "\(directory)/\(name)"
            if name.contains(Self.marker) { return true }
            if FileContents.names(in: path) != nil {
                if try holdsMarker(below: path) { return true }
            } else {
                if Data(try FileContents.read(path)).range(of: Data(Self.marker.utf8)) != nil { return true }
            }
        }
        return false
    }
}

extension [WireBoard] {
    fileprivate func asyncMap<Result: Sendable>(_ body: (WireBoard) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for board in self { results.append(try await body(board)) }
        return results
    }
}
