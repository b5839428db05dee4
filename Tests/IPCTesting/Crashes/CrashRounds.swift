/// Kills a program again and again while writers use it, and judges what is left.
///
/// First everything is read, so that the first state is known. A round: let the writers write; kill the program when the round has made the progress that was drawn; start it
/// again; let the writers end the operations that they are in; read everything back; judge the whole history.
/// The moment of the kill is tied to progress and drawn from a seeded generator: after the k-th operation was begun,
/// or acknowledged, and a number of yields to the other tasks, so that it falls on every stage of the others'
/// operations.
package struct CrashRounds: Sendable {
    /// One of the concurrent writers.
    package struct Writer: Sendable {
        package let number: Int
        /// From 0.
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

    /// The program, as closures: it may be used by tools, by the library, or by Python.
    package struct Program: Sendable {
        /// Starts it, or starts it again, and returns when it is ready.
        package var start: @Sendable () async throws -> Void
        /// Kills it, and returns when it is gone.
        package var kill: @Sendable () async throws -> Void
        /// One operation of a writer, performed by ``Writer/perform(_:_:)``; called again and again. An error before
        /// the kill ends the run; after it the operation's result is unknown.
        package var write: @Sendable (Writer, inout SeededGenerator) async throws -> Void
        /// Reads everything, by ``Writer/perform(_:_:)`` with `get` and `list`.
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

    /// What a run did.
    package struct Report: Sendable, CustomStringConvertible {
        package let seed: UInt64
        package internal(set) var rounds = 0
        /// How long each start took, in order; the first comes before the first round.
        package internal(set) var starts: [Duration] = []
        package internal(set) var history = History()
        /// Those after the last round; a run ends with the first round that has any.
        package internal(set) var violations: [HistoryViolation] = []

        package var description: String {
            "\(rounds) rounds, \(history.acknowledged) acknowledged, \(history.unknown) without an answer, slowest start "
                + "\(starts.max() ?? .zero), IPC_TEST_SEED=\(seed)"
                + violations.prefix(10).map { "\n\($0.kind.rawValue): \($0)" }.joined()
        }
    }

    /// How many rounds there are.
    package var rounds: Int
    /// How many writers write at the same time.
    package var writers: Int
    /// After how many operations of a round the kill comes, at least and at most.
    package var progress: ClosedRange<Int>
    /// The longest time that one step of a round may take.
    package var deadline = usualDeadline

    package init(rounds: Int, writers: Int, progress: ClosedRange<Int>) {
        self.rounds = rounds
        self.writers = writers
        self.progress = progress
    }

    /// Runs the rounds, until one has violations.
    ///
    /// - Throws: what the program's closures throw, and ``DeadlineExceeded`` when a step hangs.
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
