/// One round of ``CrashRounds``.
struct CrashRound: Sendable {
    let round: Int
    let settings: CrashRounds
    let program: CrashRounds.Program
    let recorder: HistoryRecorder

    /// The moment at which the round kills the program.
    private struct Moment: Sendable {
        let operations: Int
        /// Whether the moment is counted in acknowledged operations; otherwise in started ones.
        let countsAcknowledged: Bool
        let yields: Int

        func progress(of history: History) -> Int {
            countsAcknowledged ? history.acknowledged : history.operations.count
        }
    }

    /// Runs the round on a running program; returns how long the start after the kill took.
    func run(_ generator: inout SeededGenerator) async throws -> Duration {
        let moment = Moment(
            operations: Int.random(in: settings.progress, using: &generator),
            countsAcknowledged: Bool.random(using: &generator), yields: Int.random(in: 0...200, using: &generator))
        let generators = (0..<settings.writers).map { _ in generator.split() }
        let killed = Observed(false)
        let restart = try await withThrowingTaskGroup(of: Duration?.self) { group in
            for (number, generator) in generators.enumerated() {
                group.addTask {
                    try await write(number, generator, until: killed)
                    return nil
                }
            }
            group.addTask {
                try await kill(at: moment, killed)
                return try await start()
            }
            // If any task throws, `reduce` rethrows the first error, and that cancels the other tasks.
            return try await group.reduce(Duration.zero) { $1 ?? $0 }
        }
        try await readBack()
        return restart
    }

    /// Reads back the whole state of the program.
    func readBack() async throws {
        try await step("reading back") {
            try await program.readBack(CrashRounds.Writer(number: -1, round: round, recorder: recorder))
        }
    }

    private func kill(at moment: Moment, _ killed: Observed<Bool>) async throws {
        let already = moment.progress(of: recorder.history)
        try await step("progress of \(moment.operations) operations") {
            try await recorder.wait { moment.progress(of: $0) >= already + moment.operations }
        }
        for _ in 0..<moment.yields { await Task.yield() }
        // Set the mark before the kill: any error that a writer sees from now on is due to the kill.
        killed.update { $0 = true }
        try await step("kill") { try await program.kill() }
    }

    private func write(_ number: Int, _ generator: SeededGenerator, until killed: Observed<Bool>) async throws {
        let writer = CrashRounds.Writer(number: number, round: round, recorder: recorder)
        var generator = generator
        while !killed.value {
            do {
                generator = try await withDeadline("end of an operation in round \(round)", limit: settings.deadline) {
                    [generator] in
                    var generator = generator
                    try await program.write(writer, &generator)
                    return generator
                }
            } catch let error where killed.value && !(error is DeadlineExceeded) {
                return
            }
        }
    }

    /// Starts the program, and returns how long that took.
    func start() async throws -> Duration {
        let clock = ContinuousClock()
        let begin = clock.now
        try await step("start") { try await program.start() }
        return clock.now - begin
    }

    private func step(_ name: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withDeadline("\(name) in round \(round)", limit: settings.deadline, body)
    }
}
