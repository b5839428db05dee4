import IPCDBus
import IPCInterface
import IPCTesting
import Synchronization
import Testing

@testable import IPC
@testable import IPCTools

/// Tests of waiting for changes while there is no broker for some time.
@Suite("Changes while the broker is away", .privateBus)
struct ChangeFeedTests {
    @Test func areAwaitedAndTheAbsenceIsReportedOnce() async throws {
        let bus = BusAddress.address(try PrivateBus.current.address)
        let app = try await Application.connect(id: "demo.Watcher", bus: bus)
        let (told, absent) = AsyncStream.makeStream(of: String.self)
        let feed = ChangeFeed(app, of: [], since: 3) { absent.yield($0.message) }
        let next = Task { try await feed.next() }
        var absences = told.makeAsyncIterator()
        _ = await absences.next()
        // A broker that is starting or stopping may reject a call. That does not count as a second absence.
        let broker = try await RefusingBroker.start(bus, refusals: 1)
        let change = try #require(try await next.value)
        #expect(change.name == "board" && change.changeCount == 7)
        #expect(await broker.questions == 3)
        absent.finish()
        #expect(await absences.next() == nil)
    }

    @Test func endWithTheTaskEvenWithoutABroker() async throws {
        let bus = BusAddress.address(try PrivateBus.current.address)
        let app = try await Application.connect(id: "demo.Watcher", bus: bus)
        let (told, absent) = AsyncStream.makeStream(of: String.self)
        let feed = ChangeFeed(app, of: [], since: 3) { absent.yield($0.message) }
        let next = Task { try await feed.next() }
        for await _ in told { break }
        next.cancel()
        #expect(try await next.value == nil)
    }

    @Test func `I24: a question about a change is asked again if the broker does not answer in time`() async throws {
        let bus = BusAddress.address(try PrivateBus.current.address)
        let broker = try await RefusingBroker.start(bus, refusals: 1)
        let app = try await Application.connect(id: "demo.Watcher", bus: bus)
        let absences = Mutex(0)
        let feed = ChangeFeed(app, of: [], since: 3) { _ in absences.withLock { $0 += 1 } }
        let questions = Mutex(0)
        let answer = try await feed.answer {
            let number = questions.withLock { number in
                number += 1
                return number
            }
            guard number > 2 else { throw IPCError(.timedOut, "the broker did not answer in time") }
            return number
        }
        #expect(answer == 3 && absences.withLock { $0 } == 2)
        // It asks again only when the broker answers: once after a refusal, and once more.
        #expect(await broker.questions == 3)
        await #expect(throws: IPCError(.noSuchItem, "it is gone")) {
            _ = try await feed.answer { () throws -> Int in throw IPCError(.noSuchItem, "it is gone") }
        }
    }
}

/// A fake broker with one pasteboard that rejects the first calls.
@DBusActor
private final class RefusingBroker {
    private let connection: Connection
    private(set) var questions = 0

    static func start(_ bus: BusAddress, refusals: Int) async throws -> RefusingBroker {
        let broker = RefusingBroker(try await Connection.open(bus))
        let member = Pasteboards1.waitForChange.answered { [weak broker] input, _ throws in
            guard let broker else { throw ErrorReply(.failed, "it has ended") }
            broker.questions += 1
            guard broker.questions > refusals else { throw IPCError(.storeUnavailable, "not yet").errorReply }
            guard input.2.timeout != 0 else { return (3, [], ChangeFacts()) }
            return (7, [ChangedPasteboard(name: "board", changeCount: 7)], ChangeFacts())
        }
        let description = InterfaceDescription(Pasteboards1.name, "", [Pasteboards1.waitForChange.description])
        broker.connection.objects.export([ExportedInterface(description, methods: [member])], at: Broker1.path)
        _ = try await broker.connection.requestName(Broker1.busName)
        return broker
    }

    private init(_ connection: Connection) { self.connection = connection }
}
