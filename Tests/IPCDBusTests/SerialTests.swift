import IPCTesting
import Testing

@testable import IPCDBus

/// Message serial numbers.
@DBusActor
struct SerialTests {
    @Test func `a waiting call keeps its serial number after the numbers wrap around`() async throws {
        let objects = ObjectServer()
        objects.export([Echo.interface()], at: "/echo")
        let listener = try PeerListener("unix:tmpdir=/tmp", objects: objects)
        let client = try await Connection.openPeer(listener.address)
        let waiting = Task { @DBusActor in
            try await client.call(Echo.never, on: nil, at: "/echo", (), timeout: .seconds(60))
        }
        // Make the other calls only after the call in the task has been sent.
        while client.link?.lastSerial == 0 { await Task.yield() }
        #expect(try await client.call(Echo.add, on: nil, at: "/echo", (1, 2)) == 3)
        client.link?.lastSerial = .max
        #expect(try await client.call(Echo.add, on: nil, at: "/echo", (2, 3)) == 5)
        #expect(client.link?.lastSerial == 2)
        client.close()
        try await withDeadline("end of the call that waits") {
            _ = await #expect(throws: CallError.disconnected) { try await waiting.value }
        }
    }

    @Test func `a call without a deadline keeps its serial number too`() async throws {
        let objects = ObjectServer()
        objects.export([Echo.interface()], at: "/echo")
        let listener = try PeerListener("unix:tmpdir=/tmp", objects: objects)
        let client = try await Connection.openPeer(listener.address)
        var ends: [CallError?] = []
        client.call(Echo.never, on: nil, at: "/echo", ()) { result in
            if case .failure(let error) = result { ends.append(error) } else { ends.append(nil) }
        }
        client.link?.lastSerial = .max
        #expect(try await client.call(Echo.add, on: nil, at: "/echo", (2, 3)) == 5)
        #expect(ends == [])
        client.close()
        #expect(ends == [.disconnected])
    }
}
