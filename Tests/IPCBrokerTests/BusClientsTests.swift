import Glibc
import IPCDBus
import IPCModel
import IPCTesting
import Testing

@testable import IPCBroker

/// Checks that the broker keeps state only for connections that are on the bus.
@DBusActor
@Suite(.privateBus, .timeLimit(.minutes(1)))
struct BusClientsTests {
    private func connect() async throws -> Connection {
        try await Connection.open(.address(try PrivateBus.current.address))
    }

    @Test func `a connection that left at any earlier time counts as gone`() async throws {
        let own = try await connect()
        let gone = try await connect()
        let name = try #require(gone.uniqueName)
        gone.close()
        while try await own.owner(of: name) != nil { await Task.yield() }
        let clients = BusClients(own)
        try await clients.start()
        #expect(clients.hasDeparted(name))
        // Nothing is stored for a connection that has left, because nothing would ever remove it.
        let board = PasteboardName("demo.Board")
        clients.made(board, by: name)
        #expect(await clients.caller(name).visibility == .sandbox(nil))
        #expect(clients.knownVisibility(of: name) == nil)
        #expect(!clients.hasDeparted(nil), "a caller without a name cannot leave")
    }

    @Test func `connections from before and after the start count until they leave`() async throws {
        let (own, early) = (try await connect(), try await connect())
        let clients = BusClients(own)
        try await clients.start()
        let late = try await connect()
        let names = try [early, late].map { try #require($0.uniqueName) }
        // Once this call is answered, the bus has also reported that the second connection exists.
        _ = try await own.owner(of: names[1])
        #expect(names.allSatisfy { !clients.hasDeparted($0) })
        #expect(await clients.caller(names[1]).visibility == .whole)
        let process = try #require(clients.process(of: names[1]))
        #expect(process.number == getpid())
        #expect(clients.payer(.nobody, names[1]) == Payer(text: process.text))
        #expect(clients.payer(.nobody, names[0]) == Payer(text: names[0].text), "not looked at yet")
        await withCheckedContinuation { continuation in
            clients.departed = { if $0 == names[1] { continuation.resume() } }
            late.close()
        }
        #expect(clients.hasDeparted(names[1]) && !clients.hasDeparted(names[0]))
        #expect(clients.process(of: names[1]) == nil)
    }
}
