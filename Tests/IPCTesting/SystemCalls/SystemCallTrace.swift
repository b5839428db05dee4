internal import Glibc

/// A run of strace(1) on a process that is already running, or in front of a command.
package final class SystemCallTrace: Sendable {
    /// The calls that show the order of writes, flushes and messages.
    package static let calls = [
        "fdatasync", "fsync", "pwrite64", "pwritev", "pwritev2", "write", "writev", "sendmsg", "sendto", "recvmsg",
        "recvfrom",
    ]

    /// Options of strace(1) in front of a command: LeakSanitizer does not work in a traced program.
    package static let withoutLeakDetection = ["-E", "LSAN_OPTIONS=detect_leaks=0"]

    private let process: RunningProcess
    private let file: String

    private init(_ process: RunningProcess, _ file: String) {
        self.process = process
        self.file = file
    }

    /// The words to put in front of a command so that its system calls are recorded in a file. The tracer exits with
    /// the command's status after it has written everything.
    ///
    /// - Parameters:
    ///     - output: the path of the file.
    ///     - shownBytes: how many bytes of each buffer are recorded.
    package static func command(
        output: String, calls: [String] = SystemCallTrace.calls, shownBytes: Int = 4096
    ) -> [String] {
        // With seccomp, only the recorded calls stop the process.
        ["strace", "--seccomp-bpf"] + withoutLeakDetection + options(output, calls, shownBytes) + ["--"]
    }

    /// The words to put in front of a command so that a chosen system call fails.
    ///
    /// - Parameters:
    ///     - folder: the folder of the file that the call is for.
    ///     - output: the path of a file for the recorded calls.
    package static func failing(_ failing: FailingCall, in folder: String, output: String) -> [String] {
        let when = "\(failing.number)" + (failing.repeats ? "+" : "")
        return ["strace", "-f", "-qq", "-o", output, "-P", folder + "/" + failing.file] + withoutLeakDetection
            + ["-e", "trace=\(failing.call)", "-e", "inject=\(failing.call):error=\(failing.error):when=\(when)", "--"]
    }

    /// Attaches to a running process and its threads, and returns when that is done. Only root can attach to a process
    /// that is not dumpable.
    package static func attach(
        to pid: Int32, output: String, calls: [String] = SystemCallTrace.calls, shownBytes: Int = 4096
    ) async throws -> SystemCallTrace {
        let process = try await RunningProcess.start(
            "strace", options(output, calls, shownBytes) + ["-p", String(pid)], input: .none)
        try await process.errors.waitForLine(containing: "Process \(pid) attached")
        return SystemCallTrace(process, output)
    }

    /// Detaches and reads the recording; the process keeps running.
    package func end() async throws -> SystemCallRecording {
        try await process.terminate()
        return try SystemCallRecording(contentsOf: file)
    }

    private static func options(_ output: String, _ calls: [String], _ shownBytes: Int) -> [String] {
        ["-f", "-ttt", "-yy", "-xx", "-s", String(shownBytes), "-o", output]
            + ["-e", "trace=\(calls.joined(separator: ","))"]
    }
}
