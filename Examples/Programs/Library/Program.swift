// `@preconcurrency` permits the use of the C library's global variables, which are set only once.
@preconcurrency internal import Glibc
internal import IPC

/// Reports the failure of a command-line program with a message on standard error and an exit code.
public enum Program {
    /// The name under which the program was started, without the folder.
    public static var name: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "program"
    }

    /// Runs a program or one of its commands. If the body throws an error, ``fail(_:)`` ends the process.
    ///
    /// From then on, standard output is flushed after each line, even to a file or a pipe (`setvbuf(3)`), so that no
    /// output is lost when the process exits.
    nonisolated(nonsending) public static func run<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async -> Result {
        setlinebuf(stdout)
        do { return try await body() } catch { fail(error) }
    }

    /// Prints an error with ``tell(_:)``, and exits.
    ///
    /// The message is that of an `IPCError`, a `CallFailure` or a `HandlerError`, or else the error's description. The
    /// exit code is ``exitCode(of:)``.
    public static func fail(_ error: any Error) -> Never {
        tell((error as? any HandlerError)?.message ?? "\(error)")
        exit(exitCode(of: error))
    }

    /// Writes a line to standard error, after the program's name, in its ``printable(_:)`` form.
    public static func tell(_ line: String) { fputs("\(name): \(printable(line))\n", stderr) }

    /// The text with escaped control characters, because a terminal would interpret them, and with escaped characters
    /// that break a line or change the writing direction. Use it for text from other programs.
    public static func printable(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            let isPlain =
                ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                && !scalar.properties.isBidiControl
            return isPlain ? String(scalar) : scalar.escaped(asASCII: true)
        }.joined()
    }

    /// The exit code of an error: its own, or 70 (`EX_SOFTWARE` of sysexits.h).
    static func exitCode(of error: any Error) -> Int32 {
        switch error {
        case let error as any ExitCodeError: error.exitCode
        case let error as IPCError: error.exitCode
        case let error as CallFailure: error.exitCode
        default: EX_SOFTWARE
        }
    }
}

/// An error that determines the exit code of the program that it ends; see ``Program/run(_:)``.
public protocol ExitCodeError: Error {
    /// The exit code, 1 to 255; 64 to 78 have the meanings of sysexits.h.
    var exitCode: Int32 { get }
}
