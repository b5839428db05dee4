import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of a program that promises data; a peer that plays the broker asks for it.
@DBusActor
struct PromiseTests {
    private let pair: Pair
    private let path: ObjectPath = "/org/swiftipc/Broker1/pasteboards/general"
    private var board: Pasteboard { pair.application.generalPasteboard }

    init() async throws { pair = try await Pair() }

    /// Promises texts; each one names the item and the type that were asked for.
    @discardableResult
    private func promise(
        _ promises: [[ContentType]] = [[.html], [.png]], _ mark: String = "", at count: UInt64
    ) async throws -> UInt64 {
        pair.broker.write = { count }
        return try await board.setItems([.string("here")], promising: promises) { item, type in
            .text("\(mark)\(item) \(type)")
        }
    }

    private func ask(_ count: UInt64, _ item: UInt32, _ type: String) async throws -> Representation.Value {
        try await pair.ask(path, count, item, type)
    }

    private func refusal(_ count: UInt64, _ item: UInt32, _ type: String) async -> CallError? {
        await #expect(throws: CallError.self) { try await ask(count, item, type) }
    }

    @Test func promisedContentIsProvidedOnRequest() async throws {
        #expect(try await promise(at: 7) == 7)
        let (items, options) = try #require(pair.broker.written.first)
        #expect(items == [.string("here")] && options.promises == [["text/html"], ["image/png"]])
        #expect(try await ask(7, 0, "text/html") == .text("0 text/html"))
        #expect(try await ask(7, 1, "IMAGE/png") == .text("1 image/png"))
        #expect(try await ask(7, 1, "image/png") == .text("1 image/png"))
    }

    @Test func aRequestForUnpromisedContentIsRejected() async throws {
        try await promise(at: 7)
        for (count, item, type) in [(7, 0, "image/png"), (7, 2, "text/html"), (6, 0, "text/html"), (7, 0, "no type")] {
            let error = await refusal(UInt64(count), UInt32(item), type)
            #expect(error?.isRemote(IPCError.Code.noSuchItem.errorName) == true, "\(count) \(item) \(type)")
        }
    }

    /// The answer to the write of version 7 is lost. A request for that version must not get the content of version 5.
    @Test func aVersionWithALostAnswerProvidesNothingOfAnother() async throws {
        try await promise([[.html]], "old: ", at: 5)
        pair.broker.write = { throw IPCError(.storeUnavailable, "the answer is lost") }
        await #expect(throws: IPCError.self) {
            try await board.setItems(promising: [[.html]]) { _, _ in .text("new") }
        }
        #expect(await refusal(7, 0, "text/html")?.isRemote(IPCError.Code.noSuchItem.errorName) == true)
        #expect(try await ask(5, 0, "text/html") == .text("old: 0 text/html"))
    }

    @Test func theNewestTwoVersionsAreKept() async throws {
        for count in 1...4 { try await promise([[.html]], "\(count): ", at: UInt64(count)) }
        #expect(try await ask(4, 0, "text/html") == .text("4: 0 text/html"))
        #expect(try await ask(3, 0, "text/html") == .text("3: 0 text/html"))
        #expect(await refusal(2, 0, "text/html")?.isRemote(IPCError.Code.noSuchItem.errorName) == true)
    }

    @Test func aProviderIsReleasedWithItsVersion() async throws {
        final class Marker: Sendable {}
        weak var first: Marker?
        do {
            let marker = Marker()
            first = marker
            pair.broker.write = { 1 }
            try await board.setItems(promising: [[.html]]) { _, _ in
                withExtendedLifetime(marker) { .text("x") }
            }
        }
        #expect(first != nil)
        try await promise(at: 2)
        #expect(first != nil)
        try await promise(at: 3)
        #expect(first == nil)
    }

    @Test func aRequestMayArriveBeforeTheAnswerToTheWrite() async throws {
        let pair = pair
        let (asked, gate) = (Collected<Void>(), Gate())
        pair.broker.write = {
            asked.add(())
            await gate.wait()
            return 5
        }
        let board = board
        let write = Task { try await board.setItems(promising: [[.html]]) { _, _ in .text("early") } }
        _ = try await asked.wait(for: 1)
        let path = path
        let question = Task.immediate { @DBusActor in try await pair.ask(path, 5, 0, "text/html") }
        let other = Task.immediate { @DBusActor in try await pair.ask(path, 4, 0, "text/html") }
        // When this call is answered, both requests have arrived, although the write is not answered yet.
        _ = try await pair.application.brokerDescription()
        gate.end()
        #expect(try await write.value == 5)
        #expect(try await question.value == .text("early"))
        await #expect(throws: CallError.self) { try await other.value }
    }

    @Test func aWriteThatFailedLeavesNoPromise() async throws {
        pair.broker.write = { throw IPCError(.changeCountMismatch, "moved on") }
        let error = await #expect(throws: IPCError.self) {
            try await board.setItems(promising: [[.html]]) { _, _ in .text("x") }
        }
        #expect(error?.code == .changeCountMismatch)
        // Without a promise, the object that would provide the content does not exist.
        let refusal = await refusal(1, 0, "text/html")
        #expect(refusal?.isRemote(.unknownObject) == true)
    }

    @Test func aDuplicatePromiseIsNotSent() async throws {
        for promises in [[[ContentType.utf8PlainText]], [[.html, .html]], [[], [.png, .html, .png]]] {
            let error = await #expect(throws: IPCError.self) {
                try await board.setItems([.string("x")], promising: promises) { _, _ in .text("") }
            }
            #expect(error?.code == .invalidArguments)
        }
        #expect(pair.broker.written.isEmpty)
    }

    @Test func errorsOfAProviderReachTheReader() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "it broke" }
        pair.broker.write = { 1 }
        try await board.setItems(promising: [[.html, .png]]) { _, type in
            if type == .html { throw IPCError(.noSpace, "no room") }
            throw Broken()
        }
        #expect(await refusal(1, 0, "text/html") == .remote(name: "org.swiftipc.Error.NoSpace", message: "no room"))
        let error = await refusal(1, 0, "image/png")
        #expect(error?.isRemote(.failed) == true && error?.description.contains("it broke") == true)
    }

    @Test func largeValuesAreProvidedAsSealedFiles() async throws {
        let bytes = [UInt8](repeating: 5, count: 100_000)
        pair.broker.write = { 1 }
        try await board.setItems(promising: [[.png]]) { _, _ in .bytes(bytes) }
        var options = PromisedDataOptions()
        options.fd = true
        guard case .file(let file) = try await pair.ask(path, 1, 0, "image/png", options) else {
            return #expect(Bool(false), "no file came")
        }
        #expect(try file.bytes() == bytes && Descriptor.isSealed(file.descriptor))
        #expect(try await ask(1, 0, "image/png") == .bytes(bytes))
        pair.broker.write = { 2 }
        try await board.setItems(promising: [[.png]]) { _, _ in .bytes([UInt8](repeating: 0, count: 16 << 20 + 1)) }
        let error = await refusal(2, 0, "image/png")
        #expect(error?.isRemote(IPCError.Code.limitExceeded.errorName) == true)
    }

    @Test func aProviderMayTakeItsTime() async throws {
        pair.broker.write = { 1 }
        try await board.setItems(promising: [[.plainText]]) { _, _ in
            // This must not run on the I/O thread, which has to serve the connection in the meantime.
            .text(try FileContents.text("/proc/thread-self/comm").trimmingPrefix(" ").description)
        }
        guard case .text(let thread) = try await ask(1, 0, "text/plain") else {
            return #expect(Bool(false), "no text came")
        }
        #expect(!thread.isEmpty && !thread.contains("dbus-io"))
        // Negative control: on the I/O thread itself, the name of the thread is `dbus-io`.
        #expect(try FileContents.text("/proc/thread-self/comm").contains("dbus-io"))
    }

    @Test func closingFetchesAllPromisesFirst() async throws {
        let pair = pair
        let (path, fetched) = (path, Collected<Representation.Value>())
        pair.broker.fetch = {
            fetched.add(try await pair.ask(path, 7, 0, "text/html"))
            return 1
        }
        try await promise(at: 7)
        await pair.application.close()
        #expect(fetched.elements == [.text("0 text/html")])
    }

    @Test func closingWithoutPromisesFetchesNothing() async throws {
        let fetched = Collected<Void>()
        pair.broker.fetch = {
            fetched.add(())
            return 0
        }
        try await board.setString("x")
        await pair.application.close()
        #expect(fetched.elements.isEmpty)
    }
}

/// Tests of promises that need a bus.
@DBusActor
@Suite(.privateBus)
struct PromiseBusTests {
    private let bus: PrivateBus
    private var address: BusAddress { .address(bus.address) }
    private let path: ObjectPath = "/org/swiftipc/Broker1/pasteboards/general"

    init() throws { bus = try PrivateBus.current }

    private func start(_ broker: FakeBroker) async throws -> Connection {
        let connection = try await Connection.open(address, reconnects: true, objects: broker.objects)
        _ = try await connection.requestName(Broker1.busName, flags: [])
        return connection
    }

    private func ask(_ writer: BusName, from connection: Connection) async throws -> Representation.Value {
        try await connection.call(
            PasteboardWriter1.getPromisedData, on: writer, at: path,
            ("general", 1, 0, "text/html", PromisedDataOptions()))
    }

    @Test func i19OnlyTheOwnerOfTheBrokersNameGetsContent() async throws {
        let broker = FakeBroker()
        let connection = try await start(broker)
        let stranger = try await Connection.open(address)
        let application = try await Application.connect(id: "demo.Writer", bus: address)
        try await application.generalPasteboard.setItems(promising: [[.html]]) { _, _ in .text("secret") }
        let writer = try #require(application.link.connection.uniqueName)
        let error = await #expect(throws: CallError.self) { try await ask(writer, from: stranger) }
        #expect(error?.isRemote(.accessDenied) == true)
        #expect(try await ask(writer, from: connection) == .text("secret"))
        // A restarted broker asks on another connection, and gets the content too.
        connection.close()
        let next = try await start(FakeBroker())
        #expect(try await ask(writer, from: next) == .text("secret"))
    }

    @Test func promisesEndWithTheBus() async throws {
        let connection = try await start(FakeBroker())
        let application = try await Application.connect(id: "demo.Writer", bus: address)
        try await application.generalPasteboard.setItems(promising: [[.html]]) { _, _ in .text("x") }
        try await bus.startAgain()
        _ = try await application.brokerDescription()
        let writer = try #require(application.link.connection.uniqueName)
        let error = await #expect(throws: CallError.self) { try await ask(writer, from: connection) }
        #expect(error?.isRemote(.unknownObject) == true)
    }

    @Test func aReleasedApplicationLeavesTheBusImmediately() async throws {
        let connection = try await start(FakeBroker())
        var application: Application? = try await Application.connect(id: "demo.Writer", bus: address)
        try await application?.generalPasteboard.setItems(promising: [[.html]]) { _, _ in .text("x") }
        let writer = try #require(application?.link.connection.uniqueName)
        #expect(try await ask(writer, from: connection) == .text("x"))
        weak let link = application?.link
        application = nil
        #expect(link == nil)
        // The writer has left the bus, so the broker learns at once that the promise is broken.
        let error = await #expect(throws: CallError.self) { try await ask(writer, from: connection) }
        #expect(error?.isRemote(.serviceUnknown) == true || error?.isRemote(.noReply) == true)
    }
}
