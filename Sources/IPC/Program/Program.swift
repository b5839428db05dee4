private import CLinux
internal import Glibc

/// Reports the failure of a command-line program by a sentence on standard error and an exit code.
public enum Program {
    /// The program's name, as it was started, without its folder.
    public static var name: String {
        let path = CommandLine.arguments.first ?? ""
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Runs a program, or a command of it. An error that the body throws ends the process by ``fail(_:)``.
    ///
    /// From then on, standard output is flushed after each line, also to a file or a pipe (`setvbuf(3)`), so that no
    /// output is lost when the process ends.
    public static func run<Result>(_ body: () async throws -> Result) async -> Result {
        clinux_occupy_standard_streams()
        clinux_buffer_lines_of_output()
        do { return try await body() } catch { fail(error) }
    }

    /// Prints an error as ``tell(_:)`` does, and ends the process.
    ///
    /// The sentence is that of an ``IPCModel/IPCError``, a ``CallFailure`` or a ``HandlerError``, otherwise the error's
    /// description. The exit code is ``ExitCodeError/exitCode``, or 70 (`EX_SOFTWARE` of sysexits.h).
    public static func fail(_ error: any Error) -> Never {
        tell((error as? any HandlerError)?.message ?? "\(error)")
        exit(exitCode(of: error))
    }

    /// Writes a line to standard error, after the program's name. Control characters, which a terminal would obey, are
    /// escaped.
    public static func tell(_ line: String) {
        var rest = Array("\(name): \(line.onOneLine)\n".utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, written))
        }
    }

    static func exitCode(of error: any Error) -> Int32 {
        switch error {
        case let error as any ExitCodeError: error.exitCode
        case let condition as any Condition: condition.ipcError.exitCode
        default: EX_SOFTWARE
        }
    }
}

/// An error with the exit code of a program that ends because of it; see ``Program/run(_:)``.
///
/// The errors of this library have the exit codes of the tools, after sysexits.h:
///
/// | exit code | meaning |
/// |---|---|
/// | 1, 2 | the receiver declined; it was cancelled |
/// | 65, 66 | wrong input: a URL, a name, a payload; no such pasteboard, item or request |
/// | 68, 69 | the scheme has no handler; a handler, the broker, its store or the bus is unavailable |
/// | 70 | the receiver failed |
/// | 73, 74, 75 | the id is in use; disk full or failing; try again |
/// | 77 | not allowed |
public protocol ExitCodeError: Error {
    /// The exit code, 1 to 255; 64 to 78 have the meaning of sysexits.h.
    var exitCode: Int32 { get }
}

extension IPCError: ExitCodeError {
    /// The exit code for ``code``, or 65 if the request alone exceeds a limit, so that it can never succeed.
    public var exitCode: Int32 { exit.rawValue }
}

extension CallFailure: ExitCodeError {
    /// The exit code for the error, or for the outcome.
    public var exitCode: Int32 {
        switch reason {
        case .refused(let error), .unreadable(let error): error.exitCode
        default: outcome?.exitCode ?? EX_SOFTWARE
        }
    }
}
