internal import Glibc
internal import Subprocess
internal import SystemPackage

/// The streams and the exit status of a process, shared by a ``RunningProcess`` and the task that runs it.
struct ProcessStreams: Sendable {
    let output: LineBuffer
    let errors: LineBuffer
    let input = AsyncStream.makeStream(of: [UInt8].self)
    let end = Observed<ExitStatus?>(nil)

    init(name: String) {
        output = LineBuffer("standard output of \(name)")
        errors = LineBuffer("standard error of \(name)")
    }
}

/// Starts a process with swift-subprocess, which provides a process only within a closure: the closure runs in its own
/// task until both streams have ended.
struct ProcessStart: Sendable {
    let executable: String
    let arguments: [[UInt8]]
    let environment: [String: String]?

    private static let brokenPipesAreErrors: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

    func run() async throws -> RunningProcess {
        Self.brokenPipesAreErrors
        let name = executable.split(separator: "/").last.map(String.init) ?? executable
        let streams = ProcessStreams(name: name)
        let started = Observed<Result<Int32, any Error>?>(nil)
        Task.detached {
            do {
                let status = try await execute(streams) { pid in started.update { $0 = .success(pid) } }
                streams.end.update { $0 = ExitStatus(status) }
            } catch {
                started.update { $0 = $0 ?? .failure(HarnessError("\(executable) cannot be started: \(error)")) }
                streams.end.update { $0 = .signalled(0) }
            }
            if case .success(let pid) = started.value { ChildGuardian.forget(pid) }
        }
        // The child starts even if this task is cancelled. Without this wait, it would be left behind.
        let pid = try await Task { try await started.wait { try $0?.get() } }.value
        return RunningProcess(name: name, pid: pid, streams: streams)
    }

    private func execute(
        _ streams: ProcessStreams, started: @Sendable (Int32) -> Void
    ) async throws -> TerminationStatus {
        var options = PlatformOptions()
        options.createSession = true
        let result = try await Subprocess.run(
            executable.contains("/") ? .path(FilePath(executable)) : .name(executable),
            // Arguments given as bytes need a NUL at the end.
            arguments: Arguments(arguments.map { $0 + [0] }),
            environment: environment.map { .custom(Self.block($0)) } ?? .inherit,
            platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let pid = execution.processIdentifier.value
            await ChildGuardian.watch(pid)
            started(pid)
            async let errors: Void = Self.read(execution.standardError, into: streams.errors)
            async let input: Void = Self.write(streams.input.stream, to: execution.standardInputWriter)
            await Self.read(execution.standardOutput, into: streams.output)
            await errors
            // Nothing reads the input any longer. Finishing it stops the task that writes it.
            streams.input.continuation.finish()
            await input
        }
        return result.terminationStatus
    }

    /// The environment variables in the form of environ(7).
    private static func block(_ environment: [String: String]) -> [[UInt8]] {
        environment.map { Array("\($0.key)=\($0.value)\0".utf8) }
    }

    private static func read(_ stream: SubprocessOutputSequence, into buffer: LineBuffer) async {
        var iterator = stream.makeAsyncIterator()
        // A read error is treated like the end of the stream: the exit status tells more than the error would.
        while let chunk = try? await iterator.next() {
            chunk.withUnsafeBytes { buffer.append(Array($0)) }
        }
        buffer.end()
    }

    private static func write(_ stream: AsyncStream<[UInt8]>, to writer: StandardInputWriter) async {
        for await bytes in stream {
            // A program may exit without reading its input.
            guard (try? await writer.write(bytes)) != nil else { break }
        }
        try? await writer.finish()
    }
}
