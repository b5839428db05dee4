import IPCDBus
import IPCInterface
import IPCTesting
import Testing

@testable import IPC

/// Which route the library chooses by itself, and that programs do not notice when it changes.
@DBusActor
@Suite(.privateBus, .serialized)
struct RouteTests {
    private let bus: PrivateBus
    private var address: BusAddress { .address(bus.address) }

    init() throws { bus = try PrivateBus.current }

    private func handler(window: UInt32 = 1) async throws -> Application {
        try await Application.connect(id: "demo.Routed", schemes: ["routed.demo"], window: window, bus: address)
    }

    /// Waits until an application's calls use a direct connection.
    private func waitForDirect(_ application: Application) async throws {
        try await withDeadline("direct connection") {
            while await application.link.route.direct() == nil { _ = try await application.canOpenURL("routed.demo:") }
        }
    }

    @Test(.enabled(if: !DirectWay.isUsual, "the environment already decides when connections are direct"))
    func
        `an application that stays goes over to a direct connection, one that does not stays on the bus`() async throws
    {
        _ = try await BrokerProcess.start()
        let tool = try await Application.connect(id: "demo.Tool", resends: false, bus: address)
        let client = try await Application.connect(id: "demo.Client", bus: address)
        for _ in 0..<14 { _ = try await client.canOpenURL("routed.demo:") }
        for _ in 0..<40 { _ = try await tool.canOpenURL("routed.demo:") }
        #expect(try await client.brokerDescription().contains(#""state":{"direct-connections":"0""#))
        try await waitForDirect(client)
        #expect(try await client.brokerDescription().contains(#""state":{"direct-connections":"1""#))
        await client.close()
        await tool.close()
    }

    @Test func `I7: requests in flight survive cuts on both sides, once each`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await handler(window: 4)
        let client = try await Application.connect(id: "demo.Client", bus: address)
        try await waitForDirect(handler)
        try await waitForDirect(client)
        let seen = Observed<[String]>([])
        let arrived = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let receiving = Task {
            var waiting: [OpenURLRequest] = []
            for try await request in handler.openURLs {
                seen.update { $0.append(request.url) }
                waiting.append(request)
                arrived.continuation.yield()
                guard waiting.count == 3 else { continue }
                for await _ in gate { break }
                for request in waiting { try await request.finish(.handled) }
            }
        }
        async let ends = withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<3 {
                group.addTask { try await client.open("routed.demo:\(number)").outcome }
            }
            var ends: [Outcome] = []
            for try await end in group { ends.append(end) }
            return ends
        }
        var events = arrived.stream.makeAsyncIterator()
        for _ in 0..<3 { await events.next() }
        client.link.route.cutOff()
        handler.link.route.cutOff()
        // After the connections were cut, the broker delivers the requests again to the handler, which is still
        // processing them. The handler processes each of them only once.
        _ = try await client.canOpenURL("routed.demo:")
        opening.yield()
        #expect(try await ends == [.handled, .handled, .handled])
        #expect(seen.value.sorted() == ["routed.demo:0", "routed.demo:1", "routed.demo:2"])
        await handler.close()
        await client.close()
        try await receiving.value
    }

    @Test func `I24: calls and deliveries continue with the next broker, again over a direct connection`() async throws
    {
        let broker = try await BrokerProcess.start()
        let handler = try await handler()
        let receiving = Task { for try await request in handler.openURLs { try await request.finish(.handled) } }
        let client = try await Application.connect(id: "demo.Client", bus: address)
        for _ in 0..<3 {
            try await waitForDirect(handler)
            try await waitForDirect(client)
            #expect(try await client.open("routed.demo:before").outcome == .handled)
            try await broker.restart()
            #expect(try await client.open("routed.demo:after").outcome == .handled)
        }
        await handler.close()
        await client.close()
        try await receiving.value
    }
}
