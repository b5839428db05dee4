package import IPC
private import IPCModel
internal import Subprocess
private import SystemPackage

/// A command line of the user's own, run by `sh -c`; what others chose never becomes a part of it (I20).
enum ShellCommand {
    static let shell = Executable.path("/bin/sh")

    /// A process group of its own, so that what the shell has started ends with it.
    static var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        return options
    }
}

/// The command of `watch --exec`, run once for every change.
package struct ChangeCommand: Sendable {
    private let command: String

    /// - Parameter command: what the shell runs.
    package init(_ command: String) { self.command = command }

    /// Runs it with content on its standard input and waits for its end; its output goes to ours. When the task is
    /// cancelled, the command and all that it started are ended.
    /// - Parameters:
    ///   - content: nil for none.
    ///   - variables: what the environment holds beside our own.
    /// - Returns: a sentence where it did not end with exit code 0.
    package func run(_ content: Representation.Value?, _ variables: [String: String]) async throws -> String? {
        var environment: [Environment.Key: String?] = [:]
        for (name, value) in variables {
            guard let key = Environment.Key(rawValue: name) else { continue }
            environment[key] = value
        }
        let status = try await run(content, .inherit.updating(environment))
        return switch status {
        case .exited(0): nil
        case .exited(let code): "the command ended with exit code \(code)"
        case .signaled(let number): "the command was ended by signal \(number)"
        }
    }

    private func run(_ content: Representation.Value?, _ environment: Environment) async throws -> TerminationStatus {
        guard let content else {
            return try await Subprocess.run(
                ShellCommand.shell, arguments: ["-c", command], environment: environment,
                platformOptions: ShellCommand.platformOptions, input: .none, output: .currentStandardOutput,
                error: .currentStandardError
            ).terminationStatus
        }
        if case .file(let file) = content, let own = file.reopened() {
            // It reads the file itself, from its start: nothing passes through us. The descriptor has to be open until
            // the command has it.
            defer { withExtendedLifetime(own) {} }
            return try await Subprocess.run(
                ShellCommand.shell, arguments: ["-c", command], environment: environment,
                platformOptions: ShellCommand.platformOptions,
                input: .fileDescriptor(FileDescriptor(rawValue: own.descriptor), closeAfterSpawningProcess: false),
                output: .currentStandardOutput, error: .currentStandardError
            ).terminationStatus
        }
        let bytes = content.content
        return try await Subprocess.run(
            ShellCommand.shell, arguments: ["-c", command], environment: environment,
            platformOptions: ShellCommand.platformOptions, input: .inputWriter, output: .currentStandardOutput,
            error: .currentStandardError
        ) { execution in
            // A command need not read its input, so a broken pipe is no failure.
            _ = try? await execution.standardInputWriter.write(bytes)
            try? await execution.standardInputWriter.finish()
        }.terminationStatus
    }
}
