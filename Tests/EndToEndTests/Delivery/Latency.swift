import IPCDBus
import IPCInterface
import IPCTesting

/// How long calls of one client took.
struct Latency: Sendable, CustomStringConvertible {
    /// What another client may wait at most while one misbehaves.
    static let bound = Duration.milliseconds(250)

    private var times: [Duration] = []

    /// What 99 of 100 calls stay below.
    var p99: Duration {
        let sorted = times.sorted()
        return sorted.isEmpty ? .zero : sorted[(sorted.count * 99 - 1) / 100]
    }

    var count: Int { times.count }

    var description: String { "p99 \(p99) of \(count), slowest \(times.max() ?? .zero)" }

    /// Opens a URL again and again while it may, and holds that each is handled.
    @DBusActor
    static func measure(
        _ url: String, by client: BrokerClient, while mayGoOn: @DBusActor (Latency) -> Bool
    ) async throws -> Latency {
        var latency = Latency()
        while mayGoOn(latency) {
            let begin = ContinuousClock.now
            let result = try await client.open(url)
            guard result.outcome == "handled" else { throw HarnessError("\(url) ended as \(result).") }
            latency.times.append(ContinuousClock.now - begin)
        }
        return latency
    }
}
