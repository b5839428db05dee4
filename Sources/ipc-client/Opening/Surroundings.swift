import Glibc
import IPCModel
import IPCTools

/// What the program that started this one says in the environment of the request that it works on.
struct Surroundings: Sendable {
    /// Reads a variable.
    private let variable: @Sendable (String) -> String?

    init(_ variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

    /// The environment of this process; what is not UTF-8 is not there.
    static let ofProcess = Surroundings { getenv($0).flatMap { String(validatingCString: $0) } }

    /// The request whose `--exec` command this is a part of.
    var parent: String? { variable("IPC_ID").flatMap { $0.isEmpty ? nil : $0 } }

    /// Refuses a parent that is no id of a request.
    func checkParent() throws(ToolFailure) {
        guard let parent else { return }
        do throws(IPCError) { _ = try RequestID(parent) } catch {
            throw ToolFailure(
                name: error.ipcError.code.rawValue,
                message: "IPC_ID in the environment: \(error.ipcError.message); unset it, or say --parent",
                exit: error.ipcError.code.exit)
        }
    }

    /// The token by which the receiver may raise its window: that of xdg-activation (Wayland), or the startup id of the
    /// Startup Notification Specification (X11).
    var activationToken: String? {
        ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].lazy.compactMap(variable).first {
            !$0.isEmpty && $0.utf8.count <= Self.mostTokenBytes
        }
    }

    /// Tokens are some tens of bytes; what is longer is something else.
    private static let mostTokenBytes = 1_024
}
