import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// All threads of an idle broker sleep.
@DBusActor
@Suite(.privateBus)
struct IdleTests {
    private static let window = Duration.seconds(3)

    /// The threads that woke up during `work`, with the number of wake-ups.
    private func wakeUps(
        of broker: BrokerProcess, during work: @DBusActor () async throws -> Void
    ) async throws -> [Int32: Int] {
        let status = ProcessStatus(pid: broker.pid)
        let before = try status.wakeUps
        try await work()
        return try status.wakeUps.reduce(into: [:]) { woken, thread in
            let count = thread.value - (before[thread.key] ?? 0)
            if count > 0 || before[thread.key] == nil { woken[thread.key] = count }
        }
    }

    @Test func anIdleBrokerDoesNotWakeUp() async throws {
        let broker = try await BrokerProcess.start()
        let client = try await BrokerClient()
        try await client.create("idle")
        for number in 0..<20 { try await client.set([.string("\(number)")], on: "idle") }
        // A large value, which the broker handles in other threads.
        let large = try [UInt8](repeating: 7, count: 1 << 20).withUnsafeBytes {
            ContentFile(owning: try Descriptor.makeSealed(containing: $0, name: "large"), byteCount: $0.count)
        }
        let type = try ContentType("application/octet-stream")
        try await client.set([try PasteboardItem([Representation(type: type, value: .file(large))])], on: "idle")
        _ = try await client.get("idle")
        // Pending announcements or removals may wake a thread in the first windows, so the test tries several. A
        // defective broker that polls with a timer of one second wakes in each of them.
        var woken: [Int32: Int] = [:]
        for _ in 0..<4 {
            // The sleep is the measured time, not a wait for something.
            woken = try await wakeUps(of: broker) { try await ContinuousClock().sleep(for: Self.window) }
            if woken.isEmpty { return }
        }
        Issue.record("threads that were woken in \(Self.window) without work: \(woken)")
    }

    /// The control: work wakes threads, and is counted. Not every call counts: a broker that is still busy when the
    /// next call arrives does not sleep in between, and a thread that has not yet gone back to sleep has not been
    /// counted.
    @Test func wakeUpsCausedByWorkAreCounted() async throws {
        let broker = try await BrokerProcess.start()
        let client = try await BrokerClient()
        try await withDeadline("a thread that work wakes") {
            let woken = try await wakeUps(of: broker) {
                let before = try ProcessStatus(pid: broker.pid).wakeUps
                while try ProcessStatus(pid: broker.pid).wakeUps == before {
                    try await client.set([.string("more")], on: "general")
                }
            }
            #expect(!woken.isEmpty)
        }
    }
}
