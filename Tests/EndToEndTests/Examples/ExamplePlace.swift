import IPCTesting

/// Where the examples lie, and what their programs find.
enum ExamplePlace {
    /// The folder of an example.
    static func folder(_ example: String) -> String {
        "\(Binaries.directory.split(separator: "/.build", maxSplits: 1)[0])/Examples/\(example)"
    }

    /// A program of an example, built by `make` from their own package.
    static func program(_ name: String) -> String { folder(".build/debug/\(name)") }

    /// The environment of the running test's bus, with the tools in `PATH`, as after an installation.
    static var environment: [String: String] {
        get throws {
            var environment = try PrivateBus.current.environment
            environment["PATH"] = "\(Binaries.directory):\(environment["PATH"] ?? "/usr/bin:/bin")"
            return environment
        }
    }
}
