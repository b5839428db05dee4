package import IPC
private import IPCModel
internal import Subprocess
private import SystemPackage

/// A command line from the user, run with `sh -c`. It never contains text from other programs (I20).
struct ShellCommand: Sendable {
    let line: String
    /// Whether the command uses the terminal, which only processes of the terminal's foreground group may do.
    var isInteractive = false

    /// Runs the command until it exits. Cancelling the task stops the command and its children.
    /// - Parameters:
    ///   - content: the standard input; nil for none.
    ///   - variables: changes to this process's environment; nil removes a variable.
    func run<Output: OutputProtocol>(
        _ content: Representation.Value?, _ variables: [Environment.Key: String?], output: Output
    ) async throws -> ExecutionResult<Void, Output, FileDescriptorOutput> {
        // The shell gets its own process group, so that its children are stopped with it.
        var options = PlatformOptions()
        if !isInteractive { options.processGroupID = 0 }
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        let shell = Subprocess.Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", line], environment: .inherit.updating(variables),
            platformOptions: options)
        guard let content else {
            return try await Subprocess.run(shell, input: .none, output: output, error: .currentStandardError)
        }
        if case .file(let file) = content, let own = file.reopened() {
            // The command itself reads the file, from its beginning, so the descriptor is kept open for the command.
            defer { withExtendedLifetime(own) {} }
            let input = FileDescriptor(rawValue: own.descriptor)
            return try await Subprocess.run(
                shell, input: .fileDescriptor(input, closeAfterSpawningProcess: false), output: output,
                error: .currentStandardError)
        }
        let bytes = content.content
        return try await Subprocess.run(
            shell, input: .inputWriter, output: output, error: .currentStandardError
        ) { execution in
            // A command need not read its input, so a broken pipe is not a failure. If the input were passed as a
            // value, a broken pipe would crash this process, because Subprocess 1.0.2 leaves the pipe open, but
            // requires a closed one.
            _ = try? await execution.standardInputWriter.write(bytes)
            try? await execution.standardInputWriter.finish()
        }
    }
}

extension TerminationStatus {
    /// Why a command failed, as a code and a message; nil if it exited with 0.
    var failure: (code: String, message: String)? {
        switch self {
        case .exited(0): nil
        case .exited(let code): ("exit-\(code)", "the command exited with code \(code)")
        case .signaled(let number): ("signal-\(number)", "signal \(number) killed the command")
        }
    }
}

/// The command of `watch --exec`, run once for every change.
package struct ChangeCommand: Sendable {
    private let command: ShellCommand

    package init(_ line: String) { command = ShellCommand(line: line) }

    /// Runs the command with this process's standard output; see ``ShellCommand/run(_:_:output:)``.
    /// - Returns: an error message if the command did not exit with 0.
    package func run(_ content: Representation.Value?, _ variables: [String: String]) async throws -> String? {
        let pairs = variables.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } }
        let environment = [Environment.Key: String?](uniqueKeysWithValues: pairs)
        return try await command.run(content, environment, output: .currentStandardOutput).terminationStatus.failure?
            .message
    }
}
