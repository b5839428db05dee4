import IPCTesting
import Testing

@testable import IPCDBus

/// A session bus lets any program send a reply to any other program's call, with any serial.
@DBusActor
@Suite(.privateBus)
struct ResponderTests {
    private let name = BusName("org.example.Service")

    private func connect(_ objects: ObjectServer? = nil) async throws -> Connection {
        try await Connection.open(.address(PrivateBus.current.address), objects: objects)
    }

    /// Creates a service. When it is called, `stranger` sends a forged reply with the correct serial, and the bus
    /// forwards that reply before the service's own.
    private func serve(overtakenBy stranger: Connection) async throws -> Connection {
        let objects = ObjectServer()
        let echo = Echo.echo.answered { value, call in
            let output = Echo.echo.output
            let forged = try Message.methodReturn(for: call.message, signature: output.signature) {
                (writer) throws(MessageError) in try output.write(.string("forged"), &writer)
            }
            #expect(stranger.link?.send(forged) != 0)
            _ = try await stranger.listNames()
            return value
        }
        let description = InterfaceDescription(Echo.name, "One that is overtaken.", [Echo.echo.description])
        objects.export([ExportedInterface(description, methods: [echo], properties: [])], at: "/echo")
        return try await connect(objects)
    }

    private func ask(_ client: Connection, _ destination: BusName?) async throws -> Value {
        try await client.call(Echo.echo, on: destination, at: "/echo", .string("genuine"))
    }

    @Test func `I19: only the called peer can answer a call`() async throws {
        let (stranger, client) = (try await connect(), try await connect())
        let service = try await serve(overtakenBy: stranger)
        _ = try await service.requestName(name)
        #expect(try await ask(client, service.uniqueName) == .string("genuine"))
        // The control: if the client does not watch the name, it does not know the name's owner, and accepts the forged
        // reply.
        let unguarded = try await ask(client, name)
        #expect(unguarded == .string("forged"), "\(unguarded)")
        let watch = try await client.watchName(name) { _, _ in }
        #expect(try await ask(client, name) == .string("genuine"))
        withExtendedLifetime(watch) {}
    }

    @Test func `a service that another one has replaced may still answer`() async throws {
        let (client, successor) = (try await connect(), try await connect())
        let objects = ObjectServer()
        let echo = Echo.echo.answered { value, _ in
            _ = try await successor.requestName(self.name, flags: .replaceExisting)
            _ = try await client.owner(of: self.name)
            return value
        }
        let description = InterfaceDescription(Echo.name, "One that is replaced.", [Echo.echo.description])
        objects.export([ExportedInterface(description, methods: [echo], properties: [])], at: "/echo")
        let service = try await connect(objects)
        _ = try await service.requestName(name, flags: .allowReplacement)
        let watch = try await client.watchName(name) { _, _ in }
        #expect(try await ask(client, name) == .string("genuine"))
        #expect(watch.owner == successor.uniqueName)
    }

    @Test func `only the bus can report that a peer has left`() async throws {
        let (client, service) = (try await connect(), try await connect())
        let gone = try #require(service.uniqueName)
        service.close()
        await #expect {
            try await ask(client, gone)
        } throws: { error in
            if case CallError.remote(let name, _) = error { name.hasSuffix(".ServiceUnknown") } else { false }
        }
    }
}
