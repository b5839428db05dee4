import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I1: the system calls show that the broker writes and then flushes a change to disk before it answers.
@DBusActor
@Suite(.privateBus, .serialized)
struct FlushTests {
    @Test func everyAnswerFollowsAFlush() async throws {
        let check = try await trace(requests: 100, control: nil)
        print("flush: \(check.answers) answers, \(check.violations.count) before a flush")
        #expect(check.answers == 200)
        #expect(check.violations.isEmpty, "\(check.violations.prefix(3))")
    }

    /// The control: a broker that does not wait for the disk answers too early.
    @Test func withoutSynchronousTheTraceShowsMissingFlushes() async throws {
        let check = try await trace(requests: 10, control: "synchronous-off")
        #expect(check.violations.count == 20)
    }

    /// A power failure would otherwise remove the whole store, although each of its files was flushed.
    @Test func theNameOfANewStoreIsFlushed_I1() async throws {
        var settings = BrokerProcess.Settings()
        settings.traced = true
        let broker = try await BrokerProcess.start(settings)
        try await broker.terminate()
        let flushed = try broker.recording().events.filter { $0.name == "fsync" && $0.result == 0 }.compactMap(\.path)
        let folder = broker.store.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        #expect(flushed.contains(folder) && flushed.contains(broker.store), "\(flushed)")
    }

    private func trace(requests: Int, control: String?) async throws -> FlushCheck {
        var settings = BrokerProcess.Settings()
        settings.traced = true
        settings.environment = control.map { ["SWIFT_IPC_TEST_CONTROL": $0] } ?? [:]
        let broker = try await BrokerProcess.start(settings)
        let handler = try await TestHandler("org.example.Handler", "flush")
        let client = try await BrokerClient()
        try await client.create("board")
        for number in 0..<requests {
            try await client.set([.string("set \(number)")], on: "board")
            let result = try await client.open("flush:\(number)", [.string("sent \(number)")], on: "board")
            #expect(result.outcome == Outcome.handled.rawValue)
        }
        try await broker.terminate()
        withExtendedLifetime(handler) {}
        return try broker.recording().everyAnswerFollowsAFlush(writes: .allBefore) {
            $0.member == Pasteboard1.setItems.name.text || $0.member == URLs1.openURL.name.text
        }
    }
}
