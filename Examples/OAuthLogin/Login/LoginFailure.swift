import Foundation
import IPC
import Programs

/// The reason why the login failed.
enum LoginFailure: ExitCodeError, CustomStringConvertible {
    case schemeTaken(String, by: String)
    case noBrowser(String)
    case timedOut(Duration)
    case interrupted(Int32)
    case refused(String, String?)
    case tokenRefused(String)
    case serverUnreachable(String)
    case ended

    var exitCode: Int32 {
        switch self {
        case .schemeTaken: 73
        case .timedOut: 75
        case .interrupted(let signal): 128 + signal
        case .refused(let error, _): error == "access_denied" ? 77 : 70
        case .tokenRefused: 70
        case .noBrowser, .serverUnreachable, .ended: 69
        }
    }

    var description: String {
        switch self {
        case .schemeTaken(let scheme, let other):
            "\(scheme): links go to \(other), which would get the code; 'ipc-client scheme resolve \(scheme):' shows more"
        case .noBrowser(let reason): "no browser was started: \(reason); use --browser COMMAND"
        case .timedOut(let time):
            "no answer came from the browser within \((time / .seconds(1)).formatted()) s; try again"
        case .interrupted: "interrupted; you are not signed in"
        case .refused(let error, let words):
            "the server refused: \(error)" + (words.map { " (\($0))" } ?? "")
        case .tokenRefused(let reason): "the server did not accept the code: \(reason)"
        case .serverUnreachable(let reason): "the server cannot be reached: \(reason)"
        case .ended: "the connection to the bus was lost, so the browser's answer cannot arrive; try again"
        }
    }
}
