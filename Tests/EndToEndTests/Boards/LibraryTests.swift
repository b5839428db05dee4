import IPC
import IPCDBus
import IPCTesting
import Testing

/// The Swift library against the real broker.
@DBusActor
@Suite(.privateBus)
struct LibraryTests {
    private let bus: PrivateBus

    init() throws { bus = try PrivateBus.current }

    private func connect(_ id: ApplicationID = "demo.Writer") async throws -> Application {
        try await Application.connect(id: id, bus: .address(bus.address))
    }

    private func board(_ application: Application, persistent: Bool = true) async throws -> Pasteboard {
        try await application.pasteboard(named: "library", create: true, persistent: persistent)
    }

    struct Window: Codable, Hashable {
        var id: UInt64
        var frame: [Double]
    }

    @Test func `content that is written by kind can be read by kind`() async throws {
        let broker = try await BrokerProcess.start()
        let board = try await board(try await connect())
        try await board.setItems([
            .string("one"), try .url("x:two words"), .image([1, 2], type: .png),
            try .value(Window(id: .max, frame: [0.1, -0.0])), .string("zwei"),
        ])
        #expect(try await board.strings == ["one", "zwei"])
        #expect(try await board.url == "x:two words")
        #expect(try await board.image == Representation(type: .png, value: .bytes([1, 2])))
        #expect(try await board.itemSet(withPasteboardTypes: [.json, .png]) == [2, 3])
        let values = try await board.values(Window.self, inItemSet: nil)
        #expect(values.map { $0?.id } == [nil, nil, nil, .max, nil])
        #expect(values[3]?.frame.map(\.bitPattern) == [0.1, -0.0].map(\.bitPattern))
        try await board.addItems([.data([9], type: .png)])
        #expect(try await board.data(forPasteboardType: .png, inItemSet: [5, 0, 2]) == [[9], nil, [1, 2]])
        #expect(try await board.numberOfItems == 6)
        _ = broker
    }

    @Test(arguments: [true, false])
    func `large values come back as files, byte for byte`(persistent: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let board = try await board(try await connect(), persistent: persistent)
        let large = (0..<17).map { [UInt8](repeating: UInt8($0 + 1), count: 65_537 + $0) }
        let count = try await board.setItems(large.map { .data($0) } + [.string("small")])
        let items = try await board.items
        let files = items.prefix(17).map { if case .file? = $0.representations.first?.value { true } else { false } }
        #expect(files == [false] + [Bool](repeating: true, count: 16))
        for (item, bytes) in zip(items, large) { #expect(item.representations.first?.value.content == bytes) }
        #expect(try await board.data(forType: .octetStream, item: 9, changeCount: count) == large[9])
        // Items that were read can be written unchanged.
        try await board.setItems(items)
        #expect(try await board.data(forPasteboardType: .octetStream, inItemSet: [3, 16]) == [large[3], large[16]])
        _ = broker
    }

    @Test func `a unique pasteboard accepts every kind of content and disappears with its connection`() async throws {
        let broker = try await BrokerProcess.start()
        let (writer, reader) = (try await connect(), try await connect("demo.Reader"))
        let mine = try await writer.uniquePasteboard()
        let theirs = Pasteboard(named: mine.name, of: reader)
        try await mine.setImage([1, 2], type: .png)
        #expect(try await theirs.image == Representation(type: .png, value: .bytes([1, 2])))
        try await mine.setURLs(["x:1", "y:2"])
        #expect(try await theirs.urls == ["x:1", "y:2"])
        let error = await #expect(throws: IPCError.self) { try await mine.setURLs(["x:1", "no url"]) }
        #expect(error?.code == .invalidURL)
        #expect(try await theirs.urls == ["x:1", "y:2"])
        await writer.close()
        try await theirs.waitUntilRemoved()
        _ = broker
    }

    @Test func `promised content is provided on demand, and survives a writer that closes properly`() async throws {
        let broker = try await BrokerProcess.start()
        let (writer, reader) = (try await connect(), try await connect("demo.Reader"))
        let (mine, theirs) = (try await board(writer), try await board(reader))
        let large = [UInt8](repeating: 7, count: 100_000)
        let count = try await mine.setItems([.string("here")], promising: [[.html], [.png]]) { item, type in
            type == .html ? .text("<p>\(item)") : .bytes(large)
        }
        // Reading the text requests nothing from the writer, and reading the picture requests only the picture.
        #expect(try await theirs.types == [[.utf8PlainText, .html], [.png]])
        #expect(try await theirs.string == "here")
        #expect(try await theirs.image?.value.content == large)
        #expect(try await theirs.changeCount == count)
        await writer.close()
        let items = try await theirs.items
        #expect(items.map(\.types) == [[.utf8PlainText, .html], [.png]])
        #expect(items[0][.html]?.value.content == Array("<p>0".utf8))
        _ = broker
    }

    @Test func `reading a promise of a writer that has left fails immediately`() async throws {
        let broker = try await BrokerProcess.start()
        let reader = try await connect("demo.Reader")
        let theirs = try await board(reader)
        var writer: Application? = try await connect()
        if let writer {
            try await board(writer).setItems([.string("here")], promising: [[.html]]) { _, _ in .text("x") }
        }
        writer = nil
        let error = await #expect(throws: IPCError.self) { try await theirs.data(forPasteboardType: .html) }
        #expect(error?.code == .noSuchItem)
        #expect(try await theirs.string == "here")
        _ = broker
    }

    @Test func `a read that finds nothing does not consume the content`() async throws {
        let broker = try await BrokerProcess.start()
        let board = try await board(try await connect())
        try await board.setItems([.string("once")], options: PasteboardOptions(isOnce: true))
        #expect(try await board.url == nil)
        #expect(try await board.hasStrings)
        #expect(try await board.data(forPasteboardType: .png) == nil)
        #expect(try await board.string == "once")
        #expect(try await board.string == nil)
        _ = broker
    }

    @Test func `a removal is reported`() async throws {
        let broker = try await BrokerProcess.start()
        let application = try await connect()
        let board = try await board(application)
        let start = try await board.changeCount
        let removal = Task { try await board.waitUntilRemoved() }
        try await board.setString("x")
        try await board.remove()
        try await removal.value
        var changes = board.changes(since: start).makeAsyncIterator()
        #expect(try await changes.next()?.isRemoved == true)
        try await board.waitUntilRemoved()
        _ = broker
    }
}
