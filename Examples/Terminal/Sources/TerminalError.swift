import Glibc
public import Programs

/// The reason why the terminal cannot be opened.
public enum TerminalError: ExitCodeError, Sendable, Hashable, CustomStringConvertible {
    /// Standard input or output is a file or a pipe.
    case noTerminal(stream: String)
    /// The terminal cannot move its cursor (`TERM` is unset, unknown or “dumb”).
    case noCursor
    /// The terminal was opened before; a process can open it only once.
    case openedBefore
    case failed(call: String, code: Int32)

    public var exitCode: Int32 { EX_UNAVAILABLE }

    public var description: String {
        switch self {
        case .noTerminal(let stream): "\(stream) is not a terminal; run this in a terminal, without redirecting it"
        case .noCursor: "the terminal cannot move its cursor (TERM is not set, is unknown, or is dumb); use another one"
        case .openedBefore: "this process has already opened its terminal"
        case .failed(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
