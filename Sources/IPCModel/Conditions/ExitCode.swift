/// All exit codes of the tools; the extensions below map errors and outcomes to them. Codes from 64 on have the
/// meanings that `sysexits.h` gives them.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// The command succeeded: the outcome is `handled`, `delivered` or `queued`.
    case success = 0
    /// The handler declined the request.
    case declined = 1
    /// The request was cancelled.
    case cancelled = 2
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// The input is wrong: a URL, a name, an argument, a payload (`EX_DATAERR`).
    case dataError = 65
    /// The pasteboard, item, request or input file does not exist (`EX_NOINPUT`).
    case noInput = 66
    /// No application handles the scheme (`EX_NOHOST`).
    case noHandler = 68
    /// There is no bus, broker or store, or the handler cannot be started (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// The handler failed (`EX_SOFTWARE`).
    case failed = 70
    /// The application id is in use, or a file cannot be created (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// The disk is full, or reading or writing failed (`EX_IOERR`).
    case inputOutput = 74
    /// Trying again may help: a time-out, an expired request, a lost race, a limit (`EX_TEMPFAIL`).
    case tryAgain = 75
    /// A rule forbids the operation (`EX_NOPERM`).
    case notPermitted = 77
}

extension IPCError {
    /// The exit code of the tools. A request that can never succeed counts as wrong input: trying again does not help.
    package var exit: ExitCode { isBeyondLimit ? .dataError : code.exit }

    /// The exit code for ``code``, or 65 if the request by itself exceeds a limit and so can never succeed.
    public var exitCode: Int32 { exit.rawValue }
}

extension IPCError.Code {
    /// The exit code of the tools for this error, after sysexits.h. It is 75 for ``limitExceeded``; but
    /// ``IPCError/exitCode`` is 65 if the request by itself exceeds a limit.
    public var exitCode: Int32 { exit.rawValue }

    package var exit: ExitCode {
        switch self {
        case .invalidArguments, .invalidURL, .invalidName, .payloadInvalid: .dataError
        case .noSuchPasteboard, .noSuchItem, .noSuchRequest: .noInput
        case .noHandler: .noHandler
        case .noBus, .handlerUnavailable, .storeUnavailable: .unavailable
        case .notOwner: .cannotCreate
        case .noSpace, .inputOutput: .inputOutput
        case .timedOut, .changeCountMismatch, .limitExceeded: .tryAgain
        case .accessDenied, .reservedScheme, .loopDetected: .notPermitted
        }
    }
}

extension Outcome {
    /// The exit code of the tools for this outcome, after sysexits.h.
    public var exitCode: Int32 { exit.rawValue }

    package var exit: ExitCode {
        switch self {
        case .handled, .delivered, .queued: .success
        case .declined: .declined
        case .cancelled: .cancelled
        case .unavailable: .unavailable
        case .failed: .failed
        case .timedOut, .expired: .tryAgain
        }
    }
}
