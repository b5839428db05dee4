import IPCTesting
import Testing

@Suite(.privateBus) struct CrashRoundsTests {
    private func rounds(_ toy: ToyBroker, seed: UInt64) async throws -> CrashRounds.Report {
        let bus = try PrivateBus.current
        let settings = try toy.settings(in: bus)
        let broker = Observed<BrokerProcess?>(nil)
        let program = CrashRounds.Program(
            start: {
                if let broker = broker.value { return try await broker.restart() }
                let started = try await BrokerProcess.start(on: bus, settings)
                broker.update { $0 = started }
            },
            kill: { try await broker.value?.kill9() },
            write: { writer, generator in
                let text = "\(writer.round)-\(generator.next())"
                let board = "board\(writer.number % 2)"
                try await writer.perform(.set(board: board, Array(text.utf8))) {
                    guard let count = try await ToyBroker.set(board, text, on: bus) else {
                        throw HarnessError("The broker did not answer.")
                    }
                    return .acknowledged(count: count)
                }
            },
            readBack: { reader in
                for board in ["board0", "board1"] {
                    try await reader.perform(.get(board: board)) {
                        let (count, text) = try await ToyBroker.get(board, on: bus)
                        return .value(count: count, count == 0 ? nil : Array(text.utf8))
                    }
                }
            })
        // The faulty store may need many rounds until a kill shows its fault. The run stops after the first round with
        // violations.
        let most = toy == .early ? 100 : TestSize.pick(small: 3, full: 30)
        return try await CrashRounds(rounds: most, writers: 4, progress: 5...20)
            .run(program, generator: SeededGenerator(seed: seed))
    }

    @Test func `a store that answers after its commit loses nothing`() async throws {
        let report = try await rounds(.synced, seed: SeededGenerator.forTest("crash rounds").seed)
        #expect(report.violations.isEmpty, "\(report)")
        #expect(report.rounds == TestSize.pick(small: 3, full: 30))
        #expect(report.history.acknowledged >= 10)
        #expect(report.starts.count == report.rounds + 1)
    }

    @Test func `a store that answers before its commit is caught`() async throws {
        let report = try await rounds(.early, seed: 1)
        // A lost change shows in one of two ways: it is missing, or its change count is used again for another change.
        #expect(report.violations.contains { [.lost, .countUsedTwice].contains($0.kind) }, "\(report)")
        #expect("\(report)".contains("IPC_TEST_SEED=1"))
    }

    @Test func `an error before the kill is not mistaken for the kill`() async throws {
        let program = CrashRounds.Program(
            start: {}, kill: {}, write: { _, _ in throw HarnessError("broken writer") }, readBack: { _ in })
        await #expect {
            try await CrashRounds(rounds: 1, writers: 1, progress: 1...1)
                .run(program, generator: SeededGenerator(seed: 1))
        } throws: {
            "\($0)".contains("broken writer")
        }
    }
}
