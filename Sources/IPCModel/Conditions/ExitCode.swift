/// Every exit code of the tools, and below which one each error and each outcome has. Those from 64 on have the meaning of
/// `sysexits.h`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// The work is done: the outcome is `handled`, `delivered` or `queued`.
    case success = 0
    /// The handler declined the request.
    case declined = 1
    /// The request was cancelled.
    case cancelled = 2
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// The input is wrong: a URL, a name, an argument, a payload (`EX_DATAERR`).
    case dataError = 65
    /// The pasteboard, item, request or input file is not there (`EX_NOINPUT`).
    case noInput = 66
    /// No application handles the scheme (`EX_NOHOST`).
    case noHandler = 68
    /// There is no bus, no broker, no store, or the handler cannot be started (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// The handler failed (`EX_SOFTWARE`).
    case failed = 70
    /// The application id is in use, or a file cannot be made (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// The disk is full, or reading or writing failed (`EX_IOERR`).
    case inputOutput = 74
    /// Trying again may help: a time-out, an expiry, a lost race, a limit (`EX_TEMPFAIL`).
    case tryAgain = 75
    /// A rule forbids it (`EX_NOPERM`).
    case notPermitted = 77
}

extension IPCError {
    /// The exit code of the tools. Trying again does not help a request that can never succeed, so its
    /// input is wrong.
    package var exit: ExitCode { isBeyondLimit ? .dataError : code.exit }

    /// The exit code of the tools for ``code``, or 65 if the request alone exceeds a limit, so that it can never succeed.
    public var exitCode: Int32 { exit.rawValue }
}

extension IPCError.Code {
    /// The exit code of the tools for this error, after sysexits.h. ``limitExceeded`` has 75; an error about a request
    /// that alone is larger than a limit has 65.
    public var exitCode: Int32 { exit.rawValue }

    package var exit: ExitCode {
        switch self {
        case .invalidArguments, .invalidURL, .invalidName, .payloadInvalid: .dataError
        case .noSuchPasteboard, .noSuchItem, .noSuchRequest: .noInput
        case .noHandler: .noHandler
        case .handlerUnavailable, .storeUnavailable: .unavailable
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
