/// A program in Python on the other side, run by Debian's `/usr/bin/python3`, which has `dbus` and `gi`. It talks
/// with the test in lines, over standard input and output; output is not buffered.
package final class PythonPeer: Sendable {
    package let process: RunningProcess
    private let directory: TemporaryDirectory

    /// Starts a script.
    ///
    /// - Parameters:
    ///   - script: the text of the program.
    ///   - environment: as in ``RunningProcess/start(_:_:rawArguments:environment:input:)``.
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

    /// Sends a line and returns the next line of the answer.
    ///
    /// - Throws: ``DeadlineExceeded``, or a ``HarnessError`` with its traceback when it has ended.
    package func ask(_ line: String, deadline: Duration = usualDeadline) async throws -> String {
        tell(line)
        return try await nextLine(deadline: deadline)
    }

    /// The next line that it prints. Errors as ``ask(_:deadline:)``.
    package func nextLine(deadline: Duration = usualDeadline) async throws -> String {
        guard let line = try await process.nextLine(deadline: deadline) else {
            let status = try await process.wait(deadline: deadline)
            throw HarnessError("The Python program ended with \(status):\n\(process.errors.text)")
        }
        return line
    }

    /// Waits for a line that equals `text`; those before it are skipped.
    package func waitForLine(_ text: String, deadline: Duration = usualDeadline) async throws {
        try await process.waitForLine(deadline: deadline) { $0 == text }
    }

    /// Ends its input, and waits for its end.
    @discardableResult
    package func finish(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        process.closeInput()
        return try await process.wait(deadline: deadline)
    }
}
