import Glibc
import IPC
import Programs

/// The reason why there is no id: a message for the person who can fix it, a code for programs, and an exit code
/// (sysexits.h) for the shell.
package struct InstallationFailure: HandlerError, ExitCodeError, Hashable, CustomStringConvertible {
    package let code: String
    package let exitCode: Int32
    package let description: String

    private init(_ code: String, _ exitCode: Int32, _ description: String) {
        (self.code, self.exitCode, self.description) = (code, exitCode, description)
    }

    /// The id is in the keyring, or should be created there, but the keyring is locked.
    package static let keyringLocked = InstallationFailure(
        "keyring-locked", EX_TEMPFAIL,
        "the keyring is locked; unlock it, for example by logging in on the desktop, and try again")
    /// The id is in a keyring, but none is available.
    package static let keyringAbsent = InstallationFailure(
        "no-keyring", EX_UNAVAILABLE,
        "the id is in the keyring, but no keyring is available; start this in the session that has it")
    package static let noHome = InstallationFailure(
        "no-place", EX_CONFIG, "neither XDG_STATE_HOME nor HOME is set to a folder to write to")

    /// A call to the keyring failed.
    static func keyring(reason: String) -> Self { Self("no-keyring", EX_UNAVAILABLE, "the keyring failed: \(reason)") }

    /// The content of the file is not a record.
    package static func damaged(path: String) -> Self {
        Self("damaged", EX_DATAERR, "\(path) does not contain an id; restore it, or remove it to get a new id")
    }

    static func system(call: String, path: String, reason: String) -> Self {
        Self("no-place", EX_IOERR, "\(call) \(path): \(reason)")
    }
}
