import IPCTesting

/// An X server without a screen, for one test; Xvfb(1).
struct VirtualDisplay {
    let name: String
    private let server: RunningProcess

    /// Starts the server; returns when it accepts connections.
    /// - Parameter name: such as `:4711`; by default, the first free number.
    static func start(_ name: String? = nil) async throws -> VirtualDisplay {
        let server = try await RunningProcess.start(
            "Xvfb",
            (name.map { [$0] } ?? []) + ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
            input: .none)
        guard let number = try await server.nextLine() else { throw HarnessError("Xvfb ended: \(server.errors.text)") }
        return VirtualDisplay(name: ":\(number)", server: server)
    }

    func end() async { await server.end() }
}
