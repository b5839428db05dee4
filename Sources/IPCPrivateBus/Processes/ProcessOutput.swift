internal import Subprocess

/// How a process exited.
package enum ExitStatus: Sendable, Hashable, CustomStringConvertible {
    /// It exited with this code.
    case exited(Int32)
    /// This signal killed it.
    case signalled(Int32)

    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let signal): self = .signalled(signal)
        }
    }

    /// Exit code 0.
    package static let success = ExitStatus.exited(0)

    package var description: String {
        switch self {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}

/// The standard input of a process.
package enum ProcessInput: Sendable {
    /// Empty: the input ends at once.
    case none
    case text(String)
    case bytes([UInt8])
    /// A pipe that stays open; see ``RunningProcess/write(_:)-(String)`` and ``RunningProcess/closeInput()``.
    case open
}

/// The output and the status of a process that has exited.
package struct ProcessOutput: Sendable, CustomStringConvertible {
    package let status: ExitStatus
    package let outputBytes: [UInt8]
    package let errorBytes: [UInt8]

    /// Standard output as text.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    /// Standard error as text.
    package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
    /// The lines of standard output.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    package var description: String { "\(status)\nstandard output: \(output)\nstandard error: \(errors)" }

    /// This output, if the exit code was 0.
    ///
    /// - Throws: a ``HarnessError`` with the status and both streams.
    @discardableResult
    package func succeeded() throws -> ProcessOutput {
        guard status == .success else { throw HarnessError("A process failed: \(self)") }
        return self
    }
}
