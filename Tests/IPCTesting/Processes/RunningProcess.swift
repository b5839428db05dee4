internal import Glibc

/// A child process: its output by lines as they come, its input, signals, and its end.
///
/// It is started by swift-subprocess, which resets the signal mask (a child of a bare `posix_spawn` inherits a mask
/// with SIGTERM blocked from Swift's threads), closes all other descriptors, and reaps it. The child leads a session
/// and process group of its own. No child outlives its test: see ``ProcessScope``.
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

    /// Starts a program and returns when it runs.
    ///
    /// - Parameters:
    ///   - executable: an absolute path, or a name that is searched in `PATH`.
    ///   - rawArguments: further arguments after `arguments`, as bytes that need not be UTF-8; without NUL.
    ///   - environment: the whole environment; `nil` is that of the test's private bus, or else this process's own.
    /// - Throws: a ``HarnessError`` when it cannot be started.
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

    /// Runs a program to its end. Parameters as in ``start(_:_:rawArguments:environment:input:)``.
    ///
    /// - Throws: ``DeadlineExceeded`` with what it wrote; it is killed then. An exit code other than 0 is no error.
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

    /// The next line of standard output; `nil` at its end.
    package func nextLine(deadline: Duration = usualDeadline) async throws -> String? {
        try await output.nextLine(deadline: deadline)
    }

    /// The next line of standard output that `matches`; those before it are skipped.
    ///
    /// - Throws: when there is none in time, or the output ends first; with everything written to both streams.
    @discardableResult
    package func waitForLine(
        deadline: Duration = usualDeadline, matching matches: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        do {
            return try await output.waitForLine(deadline: deadline, matching: matches)
        } catch {
            // Where the output has ended the process is about to, and its last words come with its end.
            if error is HarnessError { _ = try? await wait(deadline: .seconds(1)) }
            throw HarnessError("\(name) (\(pid), \(describedEnd)): \(error)\n\(errors.report)")
        }
    }

    /// Puts text into the pipe to standard input; it is written in the background, in order.
    package func write(_ text: String) { input.yield(Array(text.utf8)) }

    /// Puts bytes into the pipe to standard input; they are written in the background, in order.
    package func write(_ bytes: [UInt8]) { input.yield(bytes) }

    /// Ends standard input once what was put into it is written.
    package func closeInput() { input.finish() }

    /// Sends a signal; does nothing when the process has ended.
    package func signal(_ number: Int32) {
        ending.update { end in
            if end == nil { kill(pid, number) }
        }
    }

    /// Whether it still runs.
    package var isRunning: Bool { ending.value == nil }

    /// How it ended; `nil` while it runs.
    package var status: ExitStatus? { ending.value }

    /// Memory, descriptors and more of the running process.
    package var statistics: ProcessStatus { ProcessStatus(pid: pid) }

    /// Waits for its end; all that it wrote has been read then.
    ///
    /// - Throws: ``DeadlineExceeded`` with everything that it wrote.
    @discardableResult
    package func wait(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        let (output, errors) = (output, errors)
        return try await withDeadline(
            "end of \(name) (\(pid))", limit: deadline, seen: output.report + "\n" + errors.report
        ) {
            try await self.ending.wait { $0 }
        }
    }

    /// `kill -9` on this process alone, and waits until it is gone.
    @discardableResult
    package func kill9() async throws -> ExitStatus {
        signal(SIGKILL)
        return try await wait()
    }

    /// Asks it to end (SIGTERM), and waits.
    @discardableResult
    package func terminate(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        signal(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Kills the process and what it started, also when it has ended itself; waits until it is reaped.
    package func end() async {
        killGroup()
        _ = try? await ending.wait { $0 }
        await ProcessStatus.killSessions(of: [pid])
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

    /// SIGKILL to the process and its group; does nothing when it has ended.
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
