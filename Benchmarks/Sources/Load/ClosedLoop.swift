import Glibc
import IPCDBus

/// Repeats an operation a fixed number of times, with a fixed number of them in flight.
@DBusActor
struct ClosedLoop {
    /// The total number of operations.
    let count: Int
    /// The number of operations in flight.
    let window: Int
    /// Whether to wait for a line on standard input before starting, so that several processes start together.
    let waits: Bool

    init(_ settings: Settings, count: Int = 1_000) throws {
        self.count = try settings.number("count", count)
        window = try settings.number("window", 1)
        waits = settings.flag("wait")
    }

    /// Runs the loop, and prints the rate and the percentiles of the time per operation.
    func measure(_ operation: @escaping @DBusActor @Sendable () async throws -> Void) async throws {
        if waits {
            say("ready")
            _ = readLine()
        }
        let start = ContinuousClock.now
        let (count, window) = (count, window)
        let workers = (0..<window).map { worker in
            DBusActor.task {
                var times: [Duration] = []
                times.reserveCapacity(count / window + 1)
                for _ in stride(from: worker, to: count, by: window) {
                    let before = ContinuousClock.now
                    try await operation()
                    times.append(ContinuousClock.now - before)
                }
                return times
            }
        }
        var times: [Duration] = []
        for worker in workers { times += try await worker.value }
        Figures(times, took: ContinuousClock.now - start).print()
    }
}

/// The times of the operations in one measurement.
struct Figures {
    private let sorted: [Duration]
    private let took: Duration

    init(_ times: [Duration], took: Duration) {
        sorted = times.sorted()
        self.took = took
    }

    /// The time within which this share of the operations completed, in microseconds; `share` is from 0 to 1.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))].microseconds
    }

    /// Prints one line of JSON: times in microseconds, `rate` in operations per second.
    func print() {
        let fields = [
            ("count", Double(sorted.count)), ("seconds", took.microseconds / 1e6),
            ("rate", Double(sorted.count) / took.microseconds * 1e6), ("p50", percentile(0.5)),
            ("p99", percentile(0.99)), ("p999", percentile(0.999)), ("most", percentile(1)),
        ]
        printObject(fields)
    }
}

/// Prints one line with a JSON object whose values are numbers.
func printObject(_ fields: [(String, Double)]) {
    say("{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
}

extension Duration {
    var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}
