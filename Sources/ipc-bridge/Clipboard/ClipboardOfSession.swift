import Glibc
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// The one clipboard of a session. A compositor keeps its clipboard and that of its X11 programs in step itself, so one is enough.
@DBusActor
enum ClipboardOfSession {
    /// - Parameter display: an X11 display; `nil` is what the environment says.
    static func open(_ display: String?, _ report: BridgeReport) throws(ToolFailure) -> any DesktopClipboard {
        if let display { return try XClipboard.open(display) }
        let hasX11 = isSet("DISPLAY")
        guard isSet("WAYLAND_DISPLAY") else {
            guard hasX11 else { throw .noDisplay }
            return try XClipboard.open(nil)
        }
        do throws(ToolFailure) {
            return try WaylandClipboard.open()
        } catch {
            guard hasX11 else { throw error }
            report.trace("NoDisplay", error.message)
            return try XClipboard.open(nil)
        }
    }

    private static func isSet(_ variable: String) -> Bool { getenv(variable).map { $0.pointee != 0 } ?? false }
}

extension ToolFailure {
    fileprivate static let noDisplay = ToolFailure(
        name: "NoDisplay",
        message:
            "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; start it in the session of a desktop",
        exit: .unavailable)
}
