import IPCTesting

/// Where the examples are, and the environment of their programs. The programs themselves: ``Binaries/example(_:)``.
enum ExamplePlace {
    /// The folder of an example, or a file in it.
    static func folder(_ example: String) -> String {
        "\(Binaries.directory.split(separator: "/.build", maxSplits: 1)[0])/Examples/\(example)"
    }

    /// The environment of the running test's bus, with the tools in `PATH`, as after an installation.
    static var environment: [String: String] {
        get throws {
            var environment = try PrivateBus.current.environment
            environment["PATH"] = "\(Binaries.directory):\(environment["PATH"] ?? "/usr/bin:/bin")"
            return environment
        }
    }

    /// The same environment with the programs of the examples in `PATH` too, as `scripts/example` sets it.
    static var programs: [String: String] {
        get throws {
            var environment = try environment
            environment["PATH"] = "\(folder(".build/debug")):\(environment["PATH"] ?? "")"
            return environment
        }
    }

    /// Runs the script `demo` of an example.
    static func demo(_ example: String) async throws -> ProcessOutput {
        try await RunningProcess.run(folder("\(example)/demo"), environment: try programs)
    }
}
