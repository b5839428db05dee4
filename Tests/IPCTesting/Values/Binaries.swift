internal import Glibc

/// Where the product's tools are: `IPC_BINARIES`, or else the directory of the test executable, which is
/// `.build/<configuration>`.
package enum Binaries {
    /// The directory of the tools.
    package static let directory: String = {
        if let given = environmentVariable("IPC_BINARIES"), !given.isEmpty { return given }
        return TestExecutable.directory
    }()

    /// The absolute path of a tool such as `ipc-broker`.
    ///
    /// - Throws: a ``HarnessError`` that names the searched directory.
    package static func path(_ tool: String) throws -> String {
        let path = "\(directory)/\(tool)"
        guard access(path, X_OK) == 0 else {
            throw HarnessError(
                "There is no executable \(path). Build it (swift build --product \(tool)), or set IPC_BINARIES to the "
                    + "directory of the tools.")
        }
        return path
    }

    /// The absolute path of a program of the package `Examples`, which `make` builds next to the tools.
    ///
    /// - Throws: a ``HarnessError`` that names the searched directory.
    package static func example(_ program: String) throws -> String {
        let root = directory.split(separator: "/.build", maxSplits: 1)[0]
        let path = "\(root)/Examples/.build/debug/\(program)"
        guard access(path, X_OK) == 0 else {
            throw HarnessError(
                "There is no executable \(path). Build it (swift build --package-path Examples --product \(program)).")
        }
        return path
    }
}
