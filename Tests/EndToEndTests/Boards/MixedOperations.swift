import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting

/// Many clients that perform all kinds of operations on a few boards, while the broker is killed again and again.
@DBusActor
final class MixedOperations {
    struct Size: Sendable {
        var clients: Int
        /// The number of operations of each client.
        var operations: Int
        var boards = 4
        /// The number of times that the broker is killed.
        var kills: Int
    }

    struct Report: CustomStringConvertible {
        let size: Size
        let seed: UInt64
        let duration: Duration
        let history: History
        let violations: [HistoryViolation]

        var description: String {
            let done = history.operations.filter { $0.result != .unknown && $0.result != .refused }
            let exchanges = done.count { if case .compareAndSet = $0.action { true } else { false } }
            let takes = done.count {
                if case (.take, .items(_, let items)) = ($0.action, $0.result) { !items.isEmpty } else { false }
            }
            let refused = history.operations.count { $0.result == .refused }
            return
                "\(size.clients) clients × \(size.operations) operations on \(size.boards) boards, \(size.kills) kills, "
                + "\(history.operations.count) recorded, \(history.acknowledged) changes acknowledged, \(refused) refused, "
                + "\(history.unknown) without an answer, \(exchanges) compare-and-sets, \(takes) takes of something, "
                + "\(duration), IPC_TEST_SEED=\(seed)"
                + violations.prefix(10).map { "\n\($0.kind.rawValue): \($0)" }.joined()
        }
    }

    private let size: Size
    private let boards: [String]
    private let recorder = HistoryRecorder()
    private let broker: BrokerProcess
    /// The number of broker starts.
    private let lives = Observed(1)
    private let clients: [BoardClient]
    private var taken = 0

    static func run(
        _ size: Size, _ generator: SeededGenerator, mistake: BoardMistake? = nil
    ) async throws -> Report {
        let run = try await MixedOperations(size, mistake)
        return try await run.all(generator)
    }

    private init(_ size: Size, _ mistake: BoardMistake?) async throws {
        self.size = size
        boards = (0..<size.boards).map { "board\($0)" }
        let bus = try PrivateBus.current
        broker = try await BrokerProcess.start(on: bus)
        let maker = try await BrokerClient(bus)
        for board in boards { try await maker.create(board) }
        var clients: [BoardClient] = []
        for _ in 0...size.clients { clients.append(try await BoardClient(bus, mistake)) }
        self.clients = clients
    }

    private func all(_ generator: SeededGenerator) async throws -> Report {
        var generator = generator
        let seed = generator.seed
        let begin = ContinuousClock.now
        try await readAll()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<size.clients {
                let own = generator.split()
                group.addTask { try await self.work(number, own) }
            }
            let killer = generator.split()
            group.addTask { try await self.killAndStart(killer) }
            try await group.waitForAll()
        }
        try await readAll()
        let history = recorder.history
        return Report(
            size: size, seed: seed, duration: ContinuousClock.now - begin, history: history,
            violations: HistoryChecker.check(history))
    }

    /// Kills the broker at random points of the run, so that every stage of the operations is hit.
    private func killAndStart(_ generator: SeededGenerator) async throws {
        var generator = generator
        let all = size.clients * size.operations
        let moments = (0..<size.kills).map { _ in Int.random(in: 1..<all, using: &generator) }.sorted()
        for moment in moments {
            try await withDeadline("progress of \(moment) operations", limit: .seconds(300)) { [recorder] in
                try await recorder.wait { $0.operations.count >= moment }
            }
            for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
            try await broker.restart()
            lives.update { $0 += 1 }
        }
    }

    private func work(_ number: Int, _ generator: SeededGenerator) async throws {
        var generator = generator
        for place in 0..<size.operations {
            let board = boards[Int.random(in: 0..<boards.count, using: &generator)]
            let kind = Int.random(in: 0..<100, using: &generator)
            let expected = Self.exchanges.contains(kind) ? try await count(of: board, by: number) : 0
            let action = action(kind, board, "\(number).\(place)", expected, &generator)
            let givesUp = Bool.random(using: &generator)
            let id = RequestID.random(using: &generator).text
            _ = try await perform(action, by: number, id: id, givesUp: givesUp)
        }
    }

    /// The random numbers from 0 to 99 for which an operation is a compare-and-set.
    private static let exchanges = 0..<30

    private func count(of board: String, by number: Int) async throws -> UInt64 {
        guard case .items(let count, _) = try await perform(.get(board: board), by: number, id: "", givesUp: false)
        else {
            return 0
        }
        return count
    }

    private func action(
        _ kind: Int, _ board: String, _ name: String, _ expected: UInt64, _ generator: inout SeededGenerator
    ) -> History.Action {
        // Some texts are small, and some span several pages of the store.
        let length = [0, 0, 100, 3_000][Int.random(in: 0..<4, using: &generator)]
        let value = Array((name + ":" + String(repeating: name.last ?? "x", count: length)).utf8)
        return switch kind {
        case 0..<3: .compareAndSet(board: board, expected: expected, nil)
        case Self.exchanges: .compareAndSet(board: board, expected: expected, value)
        case 30..<50: .set(board: board, value)
        case 50..<65: .append(board: board, value)
        case 65..<85: .get(board: board)
        case 85..<96: .take(board: board, id: RequestID.random(using: &generator).text)
        default: .set(board: board, nil)
        }
    }

    /// Performs an operation. If the answer is lost, repeats it with the same id, or leaves it unanswered.
    private func perform(
        _ action: History.Action, by number: Int, id: String, givesUp: Bool
    ) async throws -> History.Result {
        let (client, lives) = (clients[number], lives)
        do {
            return try await recorder.perform(action, writer: number) { @Sendable @DBusActor in
                while true {
                    let life = lives.value
                    do {
                        return try await client.perform(action, id: id)
                    } catch let error as CallError {
                        try await withDeadline("start of the broker after “\(error)”") {
                            try await lives.wait { $0 > life ? () : nil }
                        }
                        if givesUp { throw GivenUp() }
                    }
                }
            }
        } catch is GivenUp {
            return .unknown
        }
    }

    private func readAll() async throws {
        for board in boards {
            _ = try await perform(.get(board: board), by: size.clients, id: "", givesUp: false)
        }
    }

    private struct GivenUp: Error {}
}
