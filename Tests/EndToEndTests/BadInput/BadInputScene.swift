import IPCTesting
import Testing

/// A broker with a pasteboard, a running handler, and callers whose misbehaviour must not change the broker's state.
struct BadInputScene: Sendable {
    let broker: BrokerProcess
    let peer: WirePeer
    private let bus: PrivateBus

    /// The application that handles ``scheme``, on the connection `handler`.
    static let application = "demo.Handler"
    static let scheme = "handler.demo"

    static func start(_ settings: BrokerProcess.Settings = .init()) async throws -> BadInputScene {
        let scene = BadInputScene(
            broker: try await BrokerProcess.start(settings), peer: try await WirePeer.start(), bus: try .current)
        for connection in ["caller", "witness"] { try await scene.peer.open(connection) }
        try await scene.openHandler()
        try await scene.succeed(.getPasteboard("canary"))
        try await scene.succeed(.setItems(.item("canary")))
        return scene
    }

    /// Opens the connection of the handler, which owns its name and claims its scheme.
    func openHandler() async throws {
        try await peer.open("handler")
        try await succeed(.bus("RequestName", [.s(Self.application), .u(4)]), on: "handler")
        try await succeed(.register(Self.application, [Self.scheme]), on: "handler")
    }

    @discardableResult
    func succeed(_ call: WireCall, on connection: String = "witness") async throws -> WireMessage {
        let answer = try await peer.call(call, on: connection)
        guard answer.error == nil, !answer.gone else { throw HarnessError("\(call.member): \(answer)") }
        return answer
    }

    /// The broker's current condition.
    func condition() async throws -> BrokerCondition {
        let calls: [WireCall] = [.listPasteboards(), .listHandlers(""), .getItems()]
        var content: [JSONValue] = []
        for call in calls { content += try await succeed(call).body }
        return BrokerCondition(
            pid: try await bus.processID(ofName: BrokerProcess.busName), descriptors: try broker.openDescriptors,
            memory: try broker.residentAnonymousBytes, content: content)
    }

    /// Runs rounds of the same misbehaviour, and checks that the broker is undamaged.
    ///
    /// The first rounds let the allocator and the store take the memory that they keep. A broker that leaks grows with
    /// every round.
    func runRounds(_ count: Int = 2, _ round: @Sendable () async throws -> Void) async throws {
        let first = try await condition()
        for _ in 1..<count { try await round() }
        var base = try await condition()
        try await round()
        var last = try await condition()
        // A leak adds the same amount in every round, while a single difference may only mean that the allocator had
        // just returned memory. So the check fails only if each of several rounds in a row causes a difference.
        for _ in 0..<3 where last.damage(since: base) != [] {
            base = last
            try await round()
            last = try await condition()
        }
        #expect(last.damage(since: base) == [])
        #expect(last.content == first.content && last.pid == first.pid && broker.pid == first.pid)
        try await expectIdle()
    }

    /// Checks that no caller is waiting, that no call was answered twice (I18), and that the handler was not called.
    func expectIdle(_ when: String = "at the end") async throws {
        try await waitUntilIdle(when)
        for connection in ["caller", "witness", "handler"] {
            try await succeed(.describe(), on: connection)
            #expect(try await peer.answeredTwice(on: connection) == 0, "\(when)")
        }
        #expect(try await peer.waitingCalls(on: "handler") == 0, "\(when)")
    }

    /// The end of a request is not reported if its sender is gone, so this polls the broker's state until nothing is
    /// pending.
    private func waitUntilIdle(_ when: String) async throws {
        try await withDeadline("end of all requests and questions \(when)", limit: .seconds(10)) {
            while true {
                let state = try await succeed(.describe()).body.first?.text ?? ""
                let isIdle = ["pending-requests", "watchers"].allSatisfy { name in
                    state.matches(of: /"([a-z-]+)" ?: ?"0"/).contains { $0.1 == name }
                }
                if isIdle { return }
                try Task.checkCancellation()
            }
        }
    }
}
