/// Kills a program again and again while writers use it, and judges the state after each restart.
///
/// The run first reads everything, so that the initial state is known. In each round, the writers write until the round
/// reaches a randomly chosen progress. The program is then killed and started again, the writers complete their current
/// operations, everything is read back, and the whole history is judged. The moment of the kill depends on progress and
/// on a seeded generator: it comes after the k-th operation has started or was acknowledged, and after a random number
/// of yields to the other tasks, so that over many rounds it hits operations at every stage.
package struct CrashRounds: Sendable {
    /// One of the concurrent writers.
    package struct Writer: Sendable {
        package let number: Int
        /// The number of the round, from 0.
        package let round: Int
        package let recorder: HistoryRecorder

        /// Performs an operation and records it; see ``HistoryRecorder/perform(_:writer:round:_:)``.
        @discardableResult
        package func perform(
            _ action: History.Action, _ body: () async throws -> History.Result
        ) async throws -> History.Result {
            try await recorder.perform(action, writer: number, round: round, body)
        }
    }

    /// The program under test, as closures: the test may use it through tools, the library, or Python.
    package struct Program: Sendable {
        /// Starts the program, or starts it again, and returns when it is ready.
        package var start: @Sendable () async throws -> Void
        /// Kills the program, and returns when it is gone.
        package var kill: @Sendable () async throws -> Void
        /// Performs one operation of a writer with ``Writer/perform(_:_:)``; called repeatedly. An error before the
        /// kill stops the run. After the kill, an error only means that the result is unknown.
        package var write: @Sendable (Writer, inout SeededGenerator) async throws -> Void
        /// Reads everything, with ``Writer/perform(_:_:)`` and the actions `get` and `list`.
        package var readBack: @Sendable (Writer) async throws -> Void

        package init(
            start: @escaping @Sendable () async throws -> Void, kill: @escaping @Sendable () async throws -> Void,
            write: @escaping @Sendable (Writer, inout SeededGenerator) async throws -> Void,
            readBack: @escaping @Sendable (Writer) async throws -> Void
        ) {
            self.start = start
            self.kill = kill
            self.write = write
            self.readBack = readBack
        }
    }

    /// The result of a run.
    package struct Report: Sendable, CustomStringConvertible {
        package let seed: UInt64
        package internal(set) var rounds = 0
        /// The duration of each start, in order; the first one is before the first round.
        package internal(set) var starts: [Duration] = []
        package internal(set) var history = History()
        /// The violations after the last round; a run stops after the first round that has any.
        package internal(set) var violations: [HistoryViolation] = []

        package var description: String {
            "\(rounds) rounds, \(history.acknowledged) acknowledged, \(history.unknown) without an answer, slowest start "
                + "\(starts.max() ?? .zero), IPC_TEST_SEED=\(seed)"
                + violations.prefix(10).map { "\n\($0.kind.rawValue): \($0)" }.joined()
        }
    }

    package var rounds: Int
    package var writers: Int
    /// The range from which each round chooses the number of operations after which it kills the program.
    package var progress: ClosedRange<Int>
    /// The time limit of one step of a round.
    package var deadline = usualDeadline

    package init(rounds: Int, writers: Int, progress: ClosedRange<Int>) {
        self.rounds = rounds
        self.writers = writers
        self.progress = progress
    }

    /// Runs the rounds, until one has violations.
    ///
    /// - Throws: errors of the program's closures, and ``DeadlineExceeded`` if a step hangs.
    package func run(_ program: Program, generator: SeededGenerator) async throws -> Report {
        var generator = generator
        var report = Report(seed: generator.seed)
        let recorder = HistoryRecorder()
        for round in 0..<rounds {
            let life = CrashRound(round: round, settings: self, program: program, recorder: recorder)
            if round == 0 {
                report.starts.append(try await life.start())
                try await life.readBack()
            }
            report.starts.append(try await life.run(&generator))
            report.rounds += 1
            report.history = recorder.history
            report.violations = HistoryChecker.check(report.history)
            if !report.violations.isEmpty { break }
        }
        return report
    }
}
