/// A Python program that is the other side in a test, run with Debian's `/usr/bin/python3`, which has `dbus` and `gi`.
/// It exchanges lines with the test over standard input and output; its output is not buffered.
package final class PythonPeer: Sendable {
    package let process: RunningProcess
    private let directory: TemporaryDirectory

    /// Starts a script.
    ///
    /// - Parameters:
    ///     - script: the source text of the program.
    ///     - environment: as in ``RunningProcess/start(_:_:rawArguments:environment:input:)``.
    package static func start(
        _ script: String, arguments: [String] = [], environment: [String: String]? = nil
    ) async throws -> PythonPeer {
        let directory = try TemporaryDirectory("python")
        let file = directory.appending("peer.py")
        try FileContents.write(script, to: file)
        let process = try await RunningProcess.start(
            "/usr/bin/python3", ["-u", "-B", file] + arguments, environment: environment)
        return PythonPeer(process, directory)
    }

    private init(_ process: RunningProcess, _ directory: TemporaryDirectory) {
        self.process = process
        self.directory = directory
    }

    /// Sends a line.
    package func tell(_ line: String) { process.write("\(line)\n") }

    /// Sends a line and returns the next line of output.
    ///
    /// - Throws: ``DeadlineExceeded``, or a ``HarnessError`` with the program's traceback if the program has exited.
    package func ask(_ line: String, deadline: Duration = usualDeadline) async throws -> String {
        tell(line)
        return try await nextLine(deadline: deadline)
    }

    /// The next line that the program prints. Throws the same errors as ``ask(_:deadline:)``.
    package func nextLine(deadline: Duration = usualDeadline) async throws -> String {
        guard let line = try await process.nextLine(deadline: deadline) else {
            let status = try await process.wait(deadline: deadline)
            throw HarnessError("The Python program ended with \(status):\n\(process.errors.text)")
        }
        return line
    }

    /// Waits for a line that equals `text`; earlier lines are skipped.
    package func waitForLine(_ text: String, deadline: Duration = usualDeadline) async throws {
        try await process.waitForLine(deadline: deadline) { $0 == text }
    }

    /// Closes the program's input, and waits for the program to exit.
    @discardableResult
    package func finish(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        process.closeInput()
        return try await process.wait(deadline: deadline)
    }
}
