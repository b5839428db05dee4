internal import Glibc

/// A child process: its output line by line, its input, signals, and its exit status.
///
/// swift-subprocess starts it. It resets the signal mask (a child of a bare `posix_spawn` inherits a mask with SIGTERM
/// blocked from Swift's threads), closes all other descriptors, and reaps the child. The child leads its own session
/// and process group. No child outlives its test: see ``ProcessScope``.
package final class RunningProcess: Sendable {
    /// The executable's name, for messages.
    package let name: String
    package let pid: Int32
    package let output: LineBuffer
    package let errors: LineBuffer
    private let input: AsyncStream<[UInt8]>.Continuation
    private let ending: Observed<ExitStatus?>

    init(name: String, pid: Int32, streams: ProcessStreams) {
        self.name = name
        self.pid = pid
        output = streams.output
        errors = streams.errors
        input = streams.input.continuation
        ending = streams.end
    }

    deinit { killGroup() }

    /// Starts a program and returns when it is running.
    ///
    /// - Parameters:
    ///     - executable: an absolute path, or a name to look up in `PATH`.
    ///     - rawArguments: further arguments after `arguments`, as bytes that need not be UTF-8; without NUL.
    ///     - environment: the complete environment; `nil` means that of the test's private bus, or else that of this
    ///       process.
    /// - Throws: a ``HarnessError`` if it cannot be started.
    package static func start(
        _ executable: String, _ arguments: [String] = [], rawArguments: [[UInt8]] = [],
        environment: [String: String]? = nil, input: ProcessInput = .open
    ) async throws -> RunningProcess {
        let process = try await ProcessStart(
            executable: executable, arguments: arguments.map { Array($0.utf8) } + rawArguments,
            environment: environment ?? PrivateBus.scoped?.environment
        ).run()
        process.feed(input)
        if let scope = ProcessScope.current {
            scope.hold(process)
            process.whenEnded { scope.release($0) }
        }
        return process
    }

    /// Runs a program until it exits. Parameters as in ``start(_:_:rawArguments:environment:input:)``.
    ///
    /// - Throws: ``DeadlineExceeded`` with its output, after killing it. An exit code other than 0 is not an error.
    package static func run(
        _ executable: String, _ arguments: [String] = [], rawArguments: [[UInt8]] = [],
        environment: [String: String]? = nil, input: ProcessInput = .none, deadline: Duration = usualDeadline
    ) async throws -> ProcessOutput {
        let process = try await start(
            executable, arguments, rawArguments: rawArguments, environment: environment, input: input)
        do {
            let status = try await process.wait(deadline: deadline)
            return ProcessOutput(
                status: status, outputBytes: process.output.bytes, errorBytes: process.errors.bytes)
        } catch {
            await process.end()
            throw error
        }
    }

    /// The next line of standard output; `nil` if there is no further one.
    package func nextLine(deadline: Duration = usualDeadline) async throws -> String? {
        try await output.nextLine(deadline: deadline)
    }

    /// The next line of standard output that `matches`; earlier lines are skipped.
    ///
    /// - Throws: an error with everything written to both streams, if there is no such line in time.
    @discardableResult
    package func waitForLine(
        deadline: Duration = usualDeadline, matching matches: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        do {
            return try await output.waitForLine(deadline: deadline, matching: matches)
        } catch {
            // If the output has ended, the process is about to exit, and its last messages arrive then.
            if error is HarnessError { _ = try? await wait(deadline: .seconds(1)) }
            throw HarnessError("\(name) (\(pid), \(describedEnd)): \(error)\n\(errors.report)")
        }
    }

    /// Writes text to standard input, in the background and in order.
    package func write(_ text: String) { input.yield(Array(text.utf8)) }

    /// Writes bytes to standard input, in the background and in order.
    package func write(_ bytes: [UInt8]) { input.yield(bytes) }

    /// Closes standard input once all pending input is written.
    package func closeInput() { input.finish() }

    /// Sends a signal; does nothing if the process has exited.
    package func signal(_ number: Int32) {
        ending.update { end in
            if end == nil { kill(pid, number) }
        }
    }

    package var isRunning: Bool { ending.value == nil }

    /// How the process exited; `nil` while it is running.
    package var status: ExitStatus? { ending.value }

    /// Memory, descriptors and other information about the running process.
    package var statistics: ProcessStatus { ProcessStatus(pid: pid) }

    /// Waits for the process to exit; all of its output has been read by then.
    ///
    /// - Throws: ``DeadlineExceeded`` with all of its output.
    @discardableResult
    package func wait(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        let (output, errors) = (output, errors)
        return try await withDeadline(
            "end of \(name) (\(pid))", limit: deadline, seen: output.report + "\n" + errors.report
        ) {
            try await self.ending.wait { $0 }
        }
    }

    /// Sends SIGKILL to this process alone, and waits until it is gone.
    @discardableResult
    package func kill9() async throws -> ExitStatus {
        signal(SIGKILL)
        return try await wait()
    }

    /// Asks the process to exit (SIGTERM), and waits.
    @discardableResult
    package func terminate(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        signal(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Kills the process and its children, even if it has already exited itself; waits until it is reaped, even in a
    /// cancelled task.
    package func end() async {
        killGroup()
        await Task {
            _ = try? await ending.wait { $0 }
            await ProcessStatus.killSessions(of: [pid])
        }.value
    }

    private var describedEnd: String { status?.description ?? "running" }

    private func feed(_ given: ProcessInput) {
        switch given {
        case .none: closeInput()
        case .text(let text):
            write(text)
            closeInput()
        case .bytes(let bytes):
            write(bytes)
            closeInput()
        case .open: break
        }
    }

    /// Sends SIGKILL to the process and its group; does nothing if it has exited.
    func killGroup() {
        ending.update { [pid] end in
            if end == nil { kill(-pid, SIGKILL) }
        }
    }

    private func whenEnded(_ body: @escaping @Sendable (RunningProcess) -> Void) {
        Task {
            _ = try? await self.ending.wait { $0 }
            body(self)
        }
    }
}
