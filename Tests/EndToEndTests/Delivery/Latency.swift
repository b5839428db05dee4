import IPCDBus
import IPCInterface
import IPCTesting

/// The durations of one client's calls.
struct Latency: Sendable, CustomStringConvertible {
    /// The maximum time that a client may wait while another one misbehaves.
    static let bound = Duration.milliseconds(250)

    private var times: [Duration] = []

    /// The 99th percentile of the durations.
    var p99: Duration {
        let sorted = times.sorted()
        return sorted.isEmpty ? .zero : sorted[(sorted.count * 99 - 1) / 100]
    }

    var count: Int { times.count }

    var description: String { "p99 \(p99) of \(count), slowest \(times.max() ?? .zero)" }

    /// Opens a URL repeatedly until told to stop, and checks that each request is handled.
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
