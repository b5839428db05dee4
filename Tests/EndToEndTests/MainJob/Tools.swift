import IPCTesting

/// The command-line tools as processes.
enum Tools {
    static func client(
        _ arguments: [String], environment: [String: String]? = nil, input: ProcessInput = .none
    ) async throws -> ProcessOutput {
        try await RunningProcess.run(
            try Binaries.path("ipc-client"), arguments, environment: environment, input: input)
    }

    /// A handler that has reported that it is listening.
    static func server(_ arguments: [String] = [], environment: [String: String]? = nil) async throws -> RunningProcess
    {
        let server = try await RunningProcess.start(
            try Binaries.path("ipc-server"), arguments, environment: environment, input: .none)
        try await server.errors.waitForLine { $0.contains("listening as ") }
        return server
    }
}
