import Glibc
import IPCTesting
import Testing

@testable import IPCDBus

/// Tries each kind of address with each mechanism: connecting, a call, a signal and a descriptor, with a real
/// dbus-daemon. The table in docs/connections.md shows the results.
@DBusActor
@Suite(.timeLimit(.minutes(2)))
struct ConnectorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let listen: String
        var mechanism = ConfiguredDaemon.Mechanism.external
        /// Returns the address at which clients reach the daemon.
        var address: @Sendable (ConfiguredDaemon) -> String = { $0.address }
        let passesDescriptors: Bool
    }

    nonisolated static let rows = [
        Row(testDescription: "unix:path, EXTERNAL", listen: "unix:path=DIR/bus", passesDescriptors: true),
        Row(testDescription: "unix:abstract, EXTERNAL", listen: "unix:abstract=DIR/bus", passesDescriptors: true),
        Row(
            testDescription: "unix:path, DBUS_COOKIE_SHA1", listen: "unix:path=DIR/bus", mechanism: .cookie,
            passesDescriptors: true),
        Row(
            testDescription: "unix:path, ANONYMOUS", listen: "unix:path=DIR/bus", mechanism: .anonymous,
            passesDescriptors: true),
        Row(
            testDescription: "tcp, DBUS_COOKIE_SHA1", listen: "tcp:host=127.0.0.1", mechanism: .cookie,
            passesDescriptors: false),
        Row(
            testDescription: "tcp, ANONYMOUS", listen: "tcp:host=127.0.0.1", mechanism: .anonymous,
            passesDescriptors: false),
        Row(
            testDescription: "nonce-tcp, DBUS_COOKIE_SHA1", listen: "nonce-tcp:host=127.0.0.1", mechanism: .cookie,
            passesDescriptors: false),
        Row(
            testDescription: "nonce-tcp, ANONYMOUS", listen: "nonce-tcp:host=127.0.0.1", mechanism: .anonymous,
            passesDescriptors: false),
        Row(
            testDescription: "unixexec, a local bridge", listen: "unix:path=DIR/bus",
            address: { $0.bridge(throughPipes: false) }, passesDescriptors: true),
        Row(
            testDescription: "unixexec, a bridge behind pipes as with ssh", listen: "unix:path=DIR/bus",
            address: { $0.bridge(throughPipes: true) }, passesDescriptors: false),
        Row(
            testDescription: "a list: unix fails, tcp fails, unix connects", listen: "unix:path=DIR/bus",
            address: { "unix:path=/nowhere/bus;tcp:host=127.0.0.1,port=1;\($0.address)" }, passesDescriptors: true),
        Row(
            testDescription: "a list: an unknown transport, tcp connects", listen: "tcp:host=127.0.0.1",
            mechanism: .anonymous, address: { "carrier-pigeon:loft=home;\($0.address)" }, passesDescriptors: false),
    ]

    private static let name = BusName("org.example.Service")

    @Test(arguments: rows)
    func `a bus is reached by every address and mechanism`(row: Row) async throws {
        let daemon = try await ConfiguredDaemon.start(listen: row.listen, row.mechanism)
        let address = BusAddress.address(row.address(daemon))
        let objects = ObjectServer()
        objects.export([Echo.interface()], at: "/echo")
        let server = try await Connection.open(address, objects: objects)
        let client = try await Connection.open(address)
        #expect(client.uniqueName != nil && client.uniqueName != server.uniqueName)
        #expect(try await server.requestName(Self.name) == .primaryOwner)
        let signals = try await client.signals(Echo.announced, from: Self.name, at: "/echo")
        try await client.call(Echo.announce, on: Self.name, at: "/echo", "over \(row.testDescription)")
        var received = signals.makeAsyncIterator()
        #expect(await received.next() == "over \(row.testDescription)")
        let long = Value.bytes([UInt8](repeating: 7, count: 1 << 20))
        #expect(try await client.call(Echo.echo, on: Self.name, at: "/echo", long) == long)
        try await checkDescriptors(client, row.passesDescriptors)
        // The connection still works after a call with a descriptor that it cannot send.
        #expect(try await client.call(Echo.add, on: Self.name, at: "/echo", (1, 2)) == 3)
        client.close()
        server.close()
        await daemon.stop()
    }

    private func checkDescriptors(_ client: Connection, _ passes: Bool) async throws {
        #expect(client.passesDescriptors == passes)
        let file = try #require(Descriptor(duplicating: 0))
        let call = { @DBusActor in
            try await client.call(Echo.echo, on: Self.name, at: "/echo", .descriptor(file))
        }
        guard passes else {
            await #expect(throws: CallError.unsendable(.descriptorsNotPassed)) { try await call() }
            return
        }
        guard case .descriptor(let copy) = try await call() else {
            Issue.record("no descriptor")
            return
        }
        #expect(copy.rawValue != file.rawValue)
    }

    @Test func `libdbus reports why autolaunch finds no bus`() async throws {
        let error = await #expect(throws: ConnectionError.self) {
            try await Connection.open(.address("autolaunch:scope=none"), timeout: .seconds(10))
        }
        guard case .cannotConnect(let address, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(address == "autolaunch:scope=none" && !reason.isEmpty)
    }

    @Test(arguments: ["unix:path=DIR/bus", "tcp:host=127.0.0.1"])
    func `a server with another id is refused`(listen: String) async throws {
        let daemon = try await ConfiguredDaemon.start(listen: listen, listen.hasPrefix("tcp") ? .anonymous : .external)
        let id = try #require(daemon.address.split(separator: "guid=").last)
        let other = daemon.address.replacing(id, with: String(repeating: "0", count: 32))
        await #expect(throws: ConnectionError.self) { try await Connection.open(.address(other)) }
        // The control: the correct id is accepted, and so is an address without an id.
        try await Connection.open(.address(daemon.address)).close()
        try await Connection.open(.address(daemon.address.replacing(",guid=\(id)", with: ""))).close()
        await daemon.stop()
    }

    @Test func `a socket path need not be UTF-8`() async throws {
        let daemon = try await ConfiguredDaemon.start(listen: "unix:path=DIR/a%ffb")
        #expect(daemon.address.contains("a%ffb"))
        try await Connection.open(.address(daemon.address)).close()
        await daemon.stop()
    }

    @Test func `an exited bridge process is reaped`() async throws {
        let daemon = try await ConfiguredDaemon.start(listen: "unix:path=DIR/bus")
        let connection = try await Connection.open(.address(daemon.bridge(throughPipes: false)))
        let text = try FileContents.text(daemon.bridgeFile)
        let bridge = try #require(pid_t(text.trimming))
        #expect(kill(bridge, 0) == 0)
        connection.close()
        // The process ID becomes free only if the library waits for the ended process (waitpid(2)).
        try await withDeadline("end of the bridge") {
            while kill(bridge, 0) == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        await daemon.stop()
    }
}

extension String {
    fileprivate var trimming: String { String(prefix { !$0.isNewline }) }
}
