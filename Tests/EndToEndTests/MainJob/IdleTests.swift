import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// A broker without work sleeps, all of its threads.
@DBusActor
@Suite(.privateBus)
struct IdleTests {
    private static let window = Duration.seconds(3)

    /// Threads that were woken, with how often, while `work` went on.
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

    @Test func nothingWakesABrokerAfterItsWork() async throws {
        let broker = try await BrokerProcess.start()
        let client = try await BrokerClient()
        try await client.create("idle")
        for number in 0..<20 { try await client.set([.string("\(number)")], on: "idle") }
        // The way of large values, with its threads.
        let large = try [UInt8](repeating: 7, count: 1 << 20).withUnsafeBytes {
            ContentFile(owning: try Descriptor.makeSealed(containing: $0, name: "large"), byteCount: $0.count)
        }
        let type = try ContentType("application/octet-stream")
        try await client.set([try PasteboardItem([Representation(type: type, value: .file(large))])], on: "idle")
        _ = try await client.get("idle")
        // What is still to be announced or removed may come first, a worker's timer once a second never ends.
        var woken: [Int32: Int] = [:]
        for _ in 0..<4 {
            // The time itself is what is measured.
            woken = try await wakeUps(of: broker) { try await ContinuousClock().sleep(for: Self.window) }
            if woken.isEmpty { return }
        }
        Issue.record("threads that were woken in \(Self.window) without work: \(woken)")
    }

    /// The control: work is seen. Not each call of it: a broker that is still at one when the next comes does not sleep
    /// between them, and one that has not yet gone to sleep again has not been counted yet.
    @Test func workIsSeen() async throws {
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
