import IPCTesting
import Testing

/// Promised data, provided by a Python program that exports `org.swiftipc.PasteboardWriter1`.
@Suite(.privateBus)
struct PromiseTests {
    /// In milliseconds; only a test that gets no answer waits this long.
    private static let deadline = 60_000
    private static let (json, html) = ("application/json", "text/html")

    private func start(
        deadline: Int = Self.deadline
    ) async throws -> (broker: BrokerProcess, writer: WireBoard, reader: WireBoard) {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "promise-milliseconds=\(deadline)"]
        let broker = try await BrokerProcess.start(settings)
        let writer = try await WireBoard.make("promised", on: try await WirePeer.start(), "writer")
        return (broker, writer, try await writer.from("reader"))
    }

    /// Sets one item with text and promised JSON, and one with only promised HTML.
    private func promise(_ writer: WireBoard) async throws -> Int {
        let promises = WireValue.array("as", [.strings([Self.json]), .strings([Self.html])])
        return try await writer.set("here", ["promises": promises])
    }

    /// Answers the next request for a value, and returns the requested item and type.
    private func give(_ writer: WireBoard, _ body: [WireValue], error: String? = nil) async throws -> String {
        let call = try await writer.peer.nextCall("GetPromisedData", on: "writer")
        try await writer.peer.answer(call, body, error: error, on: "writer")
        #expect(call.body[0].text == "promised")
        return "\(call.body[2].number ?? -1) \(call.body[3].text ?? "")"
    }

    private func ask(_ reader: WireBoard, _ options: KeyValuePairs<String, WireValue> = [:]) async throws -> Int {
        try await reader.peer.send(.getItems(options, at: reader.path), on: "reader")
    }

    private func answer(_ serial: Int, _ reader: WireBoard) async throws -> WireMessage {
        try await reader.peer.reply(serial, on: "reader")
    }

    @Test func `promised content is requested once, at the first read`() async throws {
        let (_, writer, reader) = try await start()
        let count = try await promise(writer)
        // Content that already exists is read without asking the writer.
        #expect(try await reader.get(["types": .strings(["text/plain;charset=utf-8"])]).texts == ["here", nil])
        #expect(try await writer.peer.waitingCalls(on: "writer") == 0)
        let serial = try await ask(reader, ["types": .strings([Self.json])])
        #expect(try await give(writer, [.v(.s("{}"))]) == "0 \(Self.json)")
        #expect(WireBoard.read(try await answer(serial, reader)) == (count, ["{}", nil]))
        let all = try await ask(reader)
        #expect(try await give(writer, [.v(.s("<p>"))]) == "1 \(Self.html)")
        let items = try await answer(all, reader).body[1]
        #expect(items[0]?.elements?.compactMap { $0[0]?.text } == ["text/plain;charset=utf-8", Self.json])
        #expect(items[0]?[1]?[1]?.text == "{}" && items[1]?[0]?[1]?.text == "<p>")
        #expect(try await reader.get() == (count, ["here", "<p>"]))
        #expect(try await writer.peer.waitingCalls(on: "writer") == 0)
        #expect(try await reader.versions().last?["types"]?[1]?[0]?.text == Self.html)
    }

    @Test func `many readers at once cause one request to the writer`() async throws {
        let (_, writer, reader) = try await start()
        _ = try await promise(writer)
        var serials: [Int] = []
        for _ in 0..<8 { serials.append(try await ask(reader, ["types": .strings([Self.json])])) }
        _ = try await give(writer, [.v(.s("{}"))])
        for serial in serials { #expect(WireBoard.read(try await answer(serial, reader)).texts == ["{}", nil]) }
        #expect(try await writer.peer.waitingCalls(on: "writer") == 0)
    }

    @Test func `a large value arrives as a descriptor`() async throws {
        let (_, writer, reader) = try await start()
        _ = try await promise(writer)
        let serial = try await ask(reader, ["types": .strings([Self.json]), "fd": .b(true)])
        _ = try await give(writer, [.v(.h(.sealed(3_000_000)))])
        let value = try #require(try await answer(serial, reader).body[1][0]?[0]?[1])
        #expect(try await value["digest"]?.text == reader.peer.digest(3_000_000))
    }

    @Test func `if the writer has left, the read fails immediately`() async throws {
        let (_, writer, reader) = try await start()
        _ = try await promise(writer)
        try await writer.peer.close("writer")
        let broken = try await reader.call(.getItems(at: reader.path))
        #expect(broken.error == BoardErrors.noSuchItem, "\(broken)")
        #expect(broken.text.contains("it has disconnected"), "\(broken)")
        #expect(try await reader.get(["types": .strings(["text/plain;charset=utf-8"])]).texts == ["here", nil])
    }

    @Test func `if the writer leaves during a request, the read fails immediately`() async throws {
        let (_, writer, reader) = try await start()
        _ = try await promise(writer)
        let serial = try await ask(reader)
        _ = try await writer.peer.nextCall("GetPromisedData", on: "writer")
        try await writer.peer.close("writer")
        let broken = try await answer(serial, reader)
        #expect(broken.error == BoardErrors.noSuchItem, "\(broken)")
    }

    @Test func `if the writer provides no value, the error gives the reason`() async throws {
        let (broker, writer, reader) = try await start()
        _ = try await promise(writer)
        let wrong: [([WireValue], String?)] = [
            ([.u(5)], nil), ([.v(.u(5))], nil), ([], nil), ([.s("bare")], nil),
            ([.v(.h(WireDescriptor(kind: "pipe")))], nil),
            ([.s("out of paper")], "org.example.Error.Paper"),
        ]
        for (body, error) in wrong {
            let serial = try await ask(reader, ["types": .strings([Self.json])])
            _ = try await give(writer, body, error: error)
            let broken = try await answer(serial, reader)
            #expect(broken.error == BoardErrors.noSuchItem, "\(body): \(broken)")
            if error != nil { #expect(broken.text.contains("out of paper")) }
        }
        #expect(broker.isRunning)
        // The failed reads leave the promise in place, and the next read is answered.
        let serial = try await ask(reader, ["types": .strings([Self.json])])
        _ = try await give(writer, [.v(.s("{}"))])
        #expect(WireBoard.read(try await answer(serial, reader)).texts == ["{}", nil])
    }

    @Test func `if the writer never answers, the read fails at the deadline and delays no other caller`() async throws {
        let (_, writer, reader) = try await start(deadline: 300)
        _ = try await promise(writer)
        let other = try await WireBoard.make("other", on: reader.peer, "other")
        let serial = try await ask(reader, ["types": .strings([Self.json])])
        _ = try await reader.peer.nextCall("GetPromisedData", on: "writer")
        // Another pasteboard is written and read while the reader waits for the promised content.
        let count = try await other.set("meanwhile")
        #expect(try await other.get() == (count, ["meanwhile"]))
        let broken = try await answer(serial, reader)
        #expect(broken.error == BoardErrors.noSuchItem, "\(broken)")
        #expect(broken.text.contains("300 ms"), "\(broken)")
    }

    @Test(arguments: [true, false])
    func `before a writer closes properly, everything that it promised is fetched`(restarts: Bool) async throws {
        let (broker, writer, reader) = try await start()
        let count = try await promise(writer)
        let serial = try await writer.peer.send(WireCall("Pasteboards1", "FetchPromises", [.none]), on: "writer")
        // The two promised values may be requested in any order.
        var asked: Set<String> = []
        for _ in 0..<2 { asked.insert(try await give(writer, [.v(.s("kept"))])) }
        #expect(asked == ["0 \(Self.json)", "1 \(Self.html)"])
        let fetched = try await writer.peer.reply(serial, on: "writer")
        #expect(fetched.body.first?.number == 2, "\(fetched)")
        try await writer.peer.close("writer")
        if restarts { try await broker.restart() }
        #expect(try await reader.get() == (count, ["here", "kept"]))
    }

    @Test func `a new version ends the promises of the old one`() async throws {
        let (_, writer, reader) = try await start()
        _ = try await promise(writer)
        let count = try await reader.set("new")
        #expect(try await reader.get() == (count, ["new"]))
        #expect(try await writer.peer.waitingCalls(on: "writer") == 0)
    }
}
