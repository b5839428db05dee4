import IPCTesting
import Testing

/// I16: after many requests, the broker returns the memory that they used.
@Suite(.privateBus)
struct QuietMemoryTests {
    @Test func `memory is returned to the system after the work`() async throws {
        let broker = try await BrokerProcess.start()
        let peer = try await WirePeer.start()
        for connection in ["handler", "caller"] { try await peer.open(connection) }
        #expect(try await peer.call(.bus("RequestName", [.s("demo.App"), .u(4)]), on: "handler").error == nil)
        #expect(try await peer.call(.register("demo.App", ["app.demo"]), on: "handler").error == nil)
        let base = try broker.residentAnonymousBytes
        for _ in 0..<4_000 { _ = try await peer.send(.openURL("app.demo:x", ["timeout": .u(600_000)]), on: "caller") }
        #expect(try await peer.call(.describe(), on: "caller").error == nil)
        let most = try broker.residentAnonymousBytes - base
        #expect(most > 4 << 20, "\(most) bytes")
        try await peer.close("caller")
        try await peer.close("handler")
        // Nothing reports when memory is returned, and a call to the broker would disturb its rest, so its memory is
        // polled.
        try await withDeadline("memory below a third of \(most) bytes") {
            while try broker.residentAnonymousBytes - base > most / 3 {
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
        }
    }
}
