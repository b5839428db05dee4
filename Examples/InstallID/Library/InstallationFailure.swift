/// The reason why there is no id, with a message for the person who can fix it.
package enum InstallationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id is in the keyring, or should be created there, but the keyring is locked.
    case keyringLocked
    /// The id is in a keyring, but none is available.
    case keyringAbsent
    /// A call to the keyring failed.
    case keyring(reason: String)
    /// The content of the file is not a record.
    case damaged(path: String)
    case noHome
    case system(call: String, path: String, reason: String)

    package var description: String {
        switch self {
        case .keyringLocked: "the keyring is locked; unlock it, for example by logging in on the desktop, and try again"
        case .keyringAbsent:
            "the id is in the keyring, but no keyring is available; start this in the session that has it"
        case .keyring(let reason): "the keyring failed: \(reason)"
        case .damaged(let path): "\(path) does not contain an id; restore it, or remove it to get a new id"
        case .noHome: "neither XDG_STATE_HOME nor HOME is set to a folder to write to"
        case .system(let call, let path, let reason): "\(call) \(path): \(reason)"
        }
    }

    /// The exit code for the failure (sysexits.h).
    package var exitCode: Int32 {
        switch self {
        case .keyringLocked: 75  // EX_TEMPFAIL: try again
        case .keyringAbsent, .keyring: 69  // EX_UNAVAILABLE
        case .damaged: 65  // EX_DATAERR
        case .noHome: 78  // EX_CONFIG
        case .system: 74  // EX_IOERR
        }
    }
}
