internal import Glibc
internal import IPCPrivateBus

/// A program that a private broker needs is missing.
public struct PrivateBrokerUnavailable: Error, CustomStringConvertible, Hashable {
    /// Which program is missing, and how to get it.
    public let description: String
}

/// Finds the programs that a private broker needs.
package struct Programs: Sendable {
    /// The variable that names the broker's program.
    package static let variable = "SWIFT_IPC_BROKER"

    private let environment: [String: String]
    /// The directory of the test executable, where SwiftPM also puts the products that the tests depend on.
    private let folder: String

    package init(environment: [String: String], folder: String) {
        (self.environment, self.folder) = (environment, folder)
    }

    /// The programs for the tests in this process.
    package static var ofProcess: Programs {
        let variables = [variable, "PATH"].compactMap { name in environmentVariable(name).map { (name, $0) } }
        return Programs(environment: Dictionary(uniqueKeysWithValues: variables), folder: TestExecutable.directory)
    }

    /// The path of `ipc-broker`: the given one, or else that in `SWIFT_IPC_BROKER`, beside the tests, or in `PATH`.
    package func broker(_ given: String? = nil) throws(PrivateBrokerUnavailable) -> String {
        if let path = given { return try executable(path, "the path of the broker") }
        if let path = environment[Self.variable], !path.isEmpty { return try executable(path, Self.variable) }
        let path = "\(folder)/ipc-broker"
        if Self.isExecutable(path) { return path }
        if let path = inPath("ipc-broker") { return path }
        throw PrivateBrokerUnavailable(
            description: """
                There is no ipc-broker in \(folder) or in PATH. Add .product(name: "ipc-broker", package: "swift-ipc") \
                to the dependencies of the test target, or set \(Self.variable) to the path of the program.
                """)
    }

    /// Checks that `PATH` has the program of the message bus.
    package func checkBus() throws(PrivateBrokerUnavailable) {
        guard inPath("dbus-daemon") == nil else { return }
        throw PrivateBrokerUnavailable(
            description: "There is no dbus-daemon in PATH. Install it (Debian: apt install dbus-daemon).")
    }

    private func executable(_ path: String, _ what: String) throws(PrivateBrokerUnavailable) -> String {
        guard Self.isExecutable(path) else {
            throw PrivateBrokerUnavailable(
                description: "'\(path)' (\(what)) is not a program. Build it, or correct the path.")
        }
        return path
    }

    private func inPath(_ name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }.first(where: Self.isExecutable)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
