import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// A display, by the name that programs use to connect to it.
enum Display: Hashable, Sendable, CustomStringConvertible {
    /// The value of `DISPLAY`.
    case x11(String)
    /// The value of `WAYLAND_DISPLAY`.
    case wayland(String)

    var description: String {
        switch self {
        case .x11(let name): "the X11 display \(name)"
        case .wayland(let name): "the Wayland display \(name)"
        }
    }

    /// The path of the socket on which the server accepts connections; `nil` if the X server is on another machine.
    var socket: String? {
        switch self {
        case .x11(let name):
            name.wholeMatch(of: /(unix)?:([0-9]+)(\.[0-9]+)?/).map { "/tmp/.X11-unix/X\($0.2)" }
        case .wayland(let name): name.hasPrefix("/") ? name : "\(environment("XDG_RUNTIME_DIR"))/\(name)"
        }
    }

    /// Connects to the display.
    /// - Throws: a ``ToolFailure`` if it cannot be used, or if another bridge serves it.
    @DBusActor
    func open() throws(ToolFailure) -> any DesktopClipboard {
        switch self {
        case .x11(let name): try XClipboard(name)
        case .wayland(let name): try WaylandClipboard(name)
        }
    }

    func unusable(_ reason: String) -> ToolFailure {
        ToolFailure(name: "NoDisplay", message: "\(self) cannot be used: \(reason)", exit: .unavailable)
    }

    /// The failure if another bridge serves the display: two bridges would keep copying each other's content.
    var taken: ToolFailure {
        ToolFailure(
            name: "NotOwner", message: "another ipc-bridge already serves \(self); stop that one first",
            exit: .cannotCreate)
    }
}

/// Connects to the session's display, preferably to a Wayland compositor, which keeps X11 programs in sync with it.
/// - Parameter display: an X11 display; `nil` for the display that the environment names.
@DBusActor
func openDisplay(_ display: String?, _ report: BridgeReport) throws(ToolFailure) -> any DesktopClipboard {
    if let display { return try Display.x11(display).open() }
    let (x11, wayland) = (environment("DISPLAY"), environment("WAYLAND_DISPLAY"))
    if !wayland.isEmpty {
        do throws(ToolFailure) { return try Display.wayland(wayland).open() } catch {
            guard !x11.isEmpty else { throw error }
            report.trace("NoDisplay", error.message)
        }
    }
    guard !x11.isEmpty else {
        throw ToolFailure(
            name: "NoDisplay",
            message:
                "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; start ipc-bridge in a desktop session",
            exit: .unavailable)
    }
    return try Display.x11(x11).open()
}

/// The value of an environment variable; empty if it is not set.
func environment(_ variable: String) -> String { getenv(variable).map { String(cString: $0) } ?? "" }
