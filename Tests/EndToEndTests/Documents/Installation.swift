import IPCTesting

/// The programs of this build, installed with `make install` where the private bus looks for services. As with
/// `PREFIX=~/.local`, the installed files and the store have the same parent, the folder `swift-ipc` of the bus's data.
struct Installation: Sendable {
    static let script =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/") + "/scripts/install"

    let bus: PrivateBus
    /// The environment of a shell that finds the installed programs.
    let environment: [String: String]

    var prefix: String { bus.directory.path }
    /// The list of the installed files and folders.
    var record: String { "\(prefix)/share/swift-ipc/installed" }
    var store: String { "\(prefix)/share/swift-ipc/store" }

    /// Installs the programs. The bus knows them when this returns.
    static func make() async throws -> Installation {
        let bus = try PrivateBus.current
        var environment = bus.environment
        environment["PREFIX"] = bus.directory.path
        environment["PATH"] = "\(bus.directory.path)/bin:\(environment["PATH"] ?? "")"
        let installation = Installation(bus: bus, environment: environment)
        // The data directory of the bus is that of the installation.
        try await installation.run("ln", ["-s", "data", "\(installation.prefix)/share"])
        try await installation.run(script, ["install", Binaries.directory])
        try await bus.reloadConfiguration()
        return installation
    }

    /// Runs a program in this environment, which must succeed.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(program, arguments, environment: environment, deadline: .seconds(120)).succeeded()
    }

    func uninstall() async throws { try await run(Self.script, ["uninstall"]) }
}
