import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I1, I2, I11: `kill -9` loses nothing that was acknowledged, and reuses no change count.
@Suite(.privateBus, .serialized)
struct CrashTests {
    private let rounds = TestSize.pick(small: 10, full: 100)

    @Test func randomKillsLoseNothingAcknowledged() async throws {
        let report = try await crash(rounds: rounds, control: nil)
        print("durability: \(report)")
        #expect(report.violations.isEmpty)
        #expect(report.rounds == rounds)
        #expect(report.history.acknowledged > rounds)
        // The first start is left out, because it also creates the pasteboards.
        #expect(try #require(report.starts.dropFirst().max()) < .milliseconds(500))
    }

    /// The control: a broker that answers before it commits is caught.
    @Test func answeringBeforeTheCommitIsFound() async throws {
        // A run stops after its first round with violations, so this one may have many rounds.
        let report = try await crash(rounds: 100, control: "acknowledge-before-commit")
        #expect(report.violations.contains { $0.kind == .lost }, "\(report)")
    }

    private func crash(rounds: Int, control: String?) async throws -> CrashRounds.Report {
        let bus = try PrivateBus.current
        var settings = BrokerProcess.Settings()
        settings.environment = control.map { ["SWIFT_IPC_TEST_CONTROL": $0] } ?? [:]
        let boards = ["one", "two", "sent"]
        let program = try await CrashedBroker(bus, settings, boards)
        return try await CrashRounds(rounds: rounds, writers: 8, progress: 5...60).run(
            CrashRounds.Program(
                start: { try await program.start() }, kill: { try await program.kill() },
                write: { try await program.write($0, &$1) }, readBack: { try await program.readBack($0) }),
            generator: SeededGenerator.forTest("crashes"))
    }
}

/// A broker that is killed while writers set pasteboards and send payloads with URLs.
@DBusActor
private final class CrashedBroker {
    private let bus: PrivateBus
    private let settings: BrokerProcess.Settings
    private let boards: [String]
    private var broker: BrokerProcess?
    private let client: BrokerClient
    private var handler: TestHandler?
    private var count = 0

    init(_ bus: PrivateBus, _ settings: BrokerProcess.Settings, _ boards: [String]) async throws {
        (self.bus, self.settings, self.boards) = (bus, settings, boards)
        client = try await BrokerClient(bus)
    }

    func start() async throws {
        if let broker { return try await broker.restart() }
        broker = try await BrokerProcess.start(on: bus, settings)
        handler = try await TestHandler("org.example.Handler", "crash", bus: bus)
        for board in boards { try await client.create(board) }
        // A read waits for the disk, so after it, the pasteboards created above are certain to be stored.
        for board in boards { _ = try await client.get(board) }
    }

    func kill() async throws { try await broker?.kill9() }

    func write(_ writer: CrashRounds.Writer, _ generator: inout SeededGenerator) async throws {
        let board = boards[Int.random(in: 0..<boards.count, using: &generator)]
        count += 1
        let text = "\(writer.round).\(writer.number).\(count)"
        let client = client
        try await writer.perform(.set(board: board, Array(text.utf8))) { @Sendable in
            if board == "sent" {
                let result = try await client.open("crash:\(text)", [.string(text)], on: board)
                guard result.outcome == Outcome.handled.rawValue else { throw CallError.disconnected }
                return .acknowledged(count: result.changeCount)
            }
            return .acknowledged(count: try await client.set([.string(text)], on: board))
        }
    }

    func readBack(_ reader: CrashRounds.Writer) async throws {
        let client = client
        for board in boards {
            try await reader.perform(.get(board: board)) { @Sendable in
                let (count, items) = try await client.get(board)
                return .value(count: count, items.first?.string.map { Array($0.utf8) })
            }
        }
    }
}
