import IPCTesting
import Testing

/// A broker, and connections on which the test controls every byte.
struct DirectScene: Sendable {
    let broker: BrokerProcess
    let peer: WirePeer

    /// - Parameter limits: the values of the broker's option `--limit`, such as `history=9`.
    static func start(limits: [String] = []) async throws -> DirectScene {
        var settings = BrokerProcess.Settings()
        settings.arguments = limits.flatMap { ["--limit", $0] }
        let scene = DirectScene(broker: try await BrokerProcess.start(settings), peer: try await WirePeer.start())
        for connection in ["owner", "witness"] { try await scene.peer.open(connection, descriptors: true) }
        return scene
    }

    /// The number of the broker's direct connections, including unused ones.
    static func count(_ peer: WirePeer) async throws -> Int {
        let text = try await peer.call(.describe(), on: "witness").body[0].text ?? ""
        let start = #""state":{"direct-connections":""#
        guard let found = text.firstRange(of: start) else { throw HarnessError("Describe: \(text)") }
        return Int(text[found.upperBound...].prefix { $0.isNumber }) ?? -1
    }

    /// Waits until the broker has this many direct connections.
    func waitForCount(_ count: Int) async throws {
        try await withDeadline("\(count) direct connections") { [peer] in
            while try await Self.count(peer) != count {}
        }
    }

    /// I17: waits until the broker has as many descriptors as before.
    func waitForDescriptors(_ base: Int) async throws {
        try await withDeadline("descriptors back at \(base)", limit: .seconds(1)) { [broker, peer] in
            while try broker.openDescriptors > base { _ = try await peer.call(.describe(), on: "witness") }
        }
    }
}
