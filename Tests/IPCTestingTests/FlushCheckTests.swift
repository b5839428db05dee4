import IPCTesting
import Testing

/// Tests the flush checker on brokers with known faults, whose system calls strace records.
@Suite(.privateBus) struct FlushCheckTests {
    private func recording(_ toy: ToyBroker) async throws -> SystemCallRecording {
        let bus = try PrivateBus.current
        var settings = try toy.settings(in: bus)
        settings.traced = true
        let broker = try await BrokerProcess.start(on: bus, settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    _ = try #require(try await ToyBroker.set("board\(number)", "text-\(number)-", on: bus))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ToyBroker.get("board1", on: bus).text == "text-1-")
        #expect(try await broker.terminate() == .signalled(15))
        return try broker.recording()
    }

    private func isSet(_ answer: TracedAnswer) -> Bool { answer.member == "Set" }

    /// The rule that looks for the text that the call set: the second string in its body, which the database row
    /// contains unchanged.
    private let text = FlushedWrites.containing { answer in
        let body = answer.call?.message.body ?? []
        return Array(body.split(separator: 0).last { $0.starts(with: "text-".utf8) } ?? [])
    }

    @Test func `a broker that flushes before it answers passes each rule`() async throws {
        let recording = try await recording(.synced)
        for rule in [FlushedWrites.allBefore, .oneSinceCall, text] {
            let check = recording.everyAnswerFollowsAFlush(writes: rule, where: isSet)
            #expect(check.answers == 12)
            #expect(check.violations.map(\.description) == [])
        }
    }

    @Test func `a broker that does not flush is caught by each rule`() async throws {
        let recording = try await recording(.unsynced)
        for rule in [FlushedWrites.allBefore, .oneSinceCall, text] {
            let check = recording.everyAnswerFollowsAFlush(writes: rule, where: isSet)
            #expect(check.answers == 12)
            #expect(check.violations.count == 12)
        }
    }

    @Test func `a broker that answers before the commit is caught`() async throws {
        let recording = try await recording(.early)
        let check = recording.everyAnswerFollowsAFlush(writes: text, where: isSet)
        #expect(check.answers == 12)
        // This broker commits after every fourth change. Only that change is written before its answer; the other 9 are
        // not.
        #expect(check.violations.count == 9)
        #expect(check.violations.allSatisfy { $0.description.contains("before its change was written") })
    }

    @Test func `a tracer attaches to a running process and detaches`() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start(on: bus, try ToyBroker.synced.settings(in: bus))
        let trace = try await SystemCallTrace.attach(to: broker.pid, output: bus.directory.appending("attached"))
        _ = try await ToyBroker.set("a", "text-1-", on: bus)
        let recording = try await trace.end()
        let check = recording.everyAnswerFollowsAFlush(writes: .allBefore, where: isSet)
        #expect(check.answers == 1)
        #expect(check.violations.isEmpty)
        #expect(try await ToyBroker.get("a", on: bus).text == "text-1-")
    }
}
