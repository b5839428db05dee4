private import CLinux
internal import Glibc

/// A command-line program at its end: what it could not do is a sentence on standard error, and its exit code says what
/// kind of thing that is.
///
/// ```swift
/// @main struct Watch {
///     static func main() async {
///         await Program.run {
///             let app = try await Application.connect(id: "com.example.Watch")
///             for try await change in app.changes() { print(change.changeCount) }
///         }
///     }
/// }
/// ```
public enum Program {
    /// The name under which the program was started, without its folder.
    public static var name: String {
        let path = CommandLine.arguments.first ?? ""
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Runs a program, or a command of one. What the body throws ends the process, as ``fail(_:)`` does.
    ///
    /// What is printed to standard output leaves line by line from then on, also into a file or a pipe (`setvbuf(3)`):
    /// whoever looks at it sees it, and nothing is lost when the process is ended.
    public static func run<Result>(_ body: () async throws -> Result) async -> Result {
        clinux_occupy_standard_streams()
        clinux_buffer_lines_of_output()
        do { return try await body() } catch { fail(error) }
    }

    /// Tells an error to the person who has started the program, and ends the process.
    ///
    /// The sentence is that of an ``IPCModel/IPCError``, a ``CallFailure`` or a ``HandlerError``, and else how the error
    /// describes itself. The exit code is ``ExitCodeError/exitCode``, and 70 (`EX_SOFTWARE` of sysexits.h) of an error that
    /// has none.
    public static func fail(_ error: any Error) -> Never {
        tell((error as? any HandlerError)?.message ?? "\(error)")
        exit(exitCode(of: error))
    }

    /// Writes a line for a person to standard error, with the program's name in front; controls in it, which a terminal
    /// would obey, are written out.
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

/// An error that knows with which exit code a program ends that cannot go on for it; see ``Program/run(_:)``.
///
/// Those of this library are the codes of the tools, after sysexits.h:
///
/// | exit code | meaning |
/// |---|---|
/// | 1, 2 | the receiver declined; it was cancelled |
/// | 65, 66 | wrong input: a URL, a name, a payload; no such pasteboard, item or request |
/// | 68, 69 | nobody handles the scheme; a handler, the broker, its store or the bus is not there |
/// | 70 | the receiver failed |
/// | 73, 74, 75 | the id is in use; disk full or failing; try again |
/// | 77 | not allowed |
public protocol ExitCodeError: Error {
    /// The exit code, 1 to 255; 64 to 78 have the meaning of sysexits.h.
    var exitCode: Int32 { get }
}

extension IPCError: ExitCodeError {
    /// That of ``code``.
    public var exitCode: Int32 { code.exitCode }
}

extension CallFailure: ExitCodeError {
    /// That of the outcome, or of the error.
    public var exitCode: Int32 {
        switch reason {
        case .refused(let error), .unreadable(let error): error.exitCode
        default: outcome?.exitCode ?? EX_SOFTWARE
        }
    }
}
