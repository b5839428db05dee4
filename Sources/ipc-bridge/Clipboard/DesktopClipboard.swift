import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The clipboard of a desktop, on any display. Its bytes are read only when a program asks the owner for them.
@DBusActor
protocol DesktopClipboard: AnyObject {
    /// The display, for sentences: `the X11 display :0`.
    nonisolated var display: String { get }
    /// Called when another program has taken the clipboard, or has left it empty.
    var changed: (_ isEmpty: Bool) -> Void { get set }
    /// Called once when the display has ended.
    var ended: () -> Void { get set }

    /// Reports the present owner by ``changed``, and changes from now on.
    func begin()
    /// The targets in which another program offers what it has copied.
    func targets() async throws(ClipboardFailure) -> [String]
    /// The content in one target.
    /// - Parameter bytes: the limit of its size.
    func read(_ target: String, atMost bytes: Int) async throws(ClipboardFailure) -> ClipboardContent
    /// Takes the clipboard, and gives an offer to all programs that ask when this has returned.
    func offer(_ offer: ClipboardOffer) async
    /// Withdraws the offer; the clipboard is empty when this returns. Does nothing if another program owns it.
    func withdraw() async
    /// Leaves the display, without ``ended``.
    func close()
}

/// The content that a program gives for one target.
struct ClipboardContent: Sendable {
    let value: Representation.Value
    /// The target that describes the value: the requested one, except for `TEXT`, for which the program chooses it.
    let target: String
}

/// The content that this process offers.
struct ClipboardOffer: Sendable {
    /// The names of its forms, in the order of preference.
    let targets: [String]
    /// Returns the content in one of them.
    let content: @DBusActor @Sendable (_ target: String) async throws -> ClipboardContent
}

extension Representation.Value {
    /// Calls a closure with a part of the content.
    /// - Returns: `nil` if it cannot be read.
    func withPart<Result>(_ part: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        switch self {
        case .text(var text):
            text.withUTF8 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[part])) }
        case .bytes(let bytes): bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        case .file(let file): try? file.withBytes(in: part, body)
        }
    }
}

/// The reason why a program does not give what it offers.
enum ClipboardFailure: Error {
    /// It refuses, or has no content in that target.
    case refused
    /// The content is above the limit.
    case tooLarge
    /// It has been silent for too long.
    case stalled
    /// Another program has taken the clipboard meanwhile, or the display has ended.
    case superseded
}

/// Opens the one clipboard of a session. A compositor keeps it in step with the clipboard of its X11 programs.
/// - Parameter display: an X11 display; `nil` for the display of the environment.
@DBusActor
func openClipboard(_ display: String?, _ report: BridgeReport) throws(ToolFailure) -> any DesktopClipboard {
    if let display { return try XClipboard(display) }
    let hasX11 = !environment("DISPLAY").isEmpty
    if !environment("WAYLAND_DISPLAY").isEmpty {
        do throws(ToolFailure) { return try WaylandClipboard() } catch {
            guard hasX11 else { throw error }
            report.trace("NoDisplay", error.message)
        }
    }
    guard hasX11 else {
        throw ToolFailure(
            name: "NoDisplay",
            message:
                "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; start it in the session of a desktop",
            exit: .unavailable)
    }
    return try XClipboard(environment("DISPLAY"))
}

/// The value of a variable of the environment; empty if it is not set.
func environment(_ variable: String) -> String { getenv(variable).map { String(cString: $0) } ?? "" }

extension ToolFailure {
    /// - Parameter kind: `X11` or `Wayland`.
    static func unusable(_ kind: String, display: String, _ reason: String) -> ToolFailure {
        ToolFailure(
            name: "NoDisplay", message: "the \(kind) display “\(display)” cannot be used: \(reason)",
            exit: .unavailable)
    }
}
