/// Every exit code of the tools; those from 64 on have the meaning of `sysexits.h`.
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
