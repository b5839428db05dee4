import Glibc
import IPCModel
import IPCTools

/// Where the programs lie: beside this one, as in a build folder, or as 'make install' lays them out.
struct Programs: Sendable {
    let broker: String
    let server: String

    /// The absolute path of this program.
    static func client() throws(ToolFailure) -> String {
        guard let path = FilePlace.target(of: "/proc/self/exe"), access(path, X_OK) == 0 else {
            throw ToolFailure(
                name: "Failed", message: "cannot tell where this program lies: is /proc there?", exit: .failed)
        }
        return path
    }

    /// Those that belong to this program.
    static func beside(_ client: String) throws(ToolFailure) -> Programs {
        let folder = FilePlace.directory(of: client)
        let above = FilePlace.directory(of: folder)
        return Programs(
            broker: try find("ipc-broker", [folder, "\(above)/libexec/swift-ipc"]),
            server: try find("ipc-server", [folder]))
    }

    private static func find(_ program: String, _ folders: [String]) throws(ToolFailure) -> String {
        guard let folder = folders.first(where: { access("\($0)/\(program)", X_OK) == 0 }) else {
            throw ToolFailure(
                name: "NoSuchFile",
                message:
                    "there is no \(program) in \(folders.joined(separator: " or ")); build it, or install the tools",
                exit: .noInput)
        }
        return "\(folder)/\(program)"
    }
}
