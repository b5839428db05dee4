extension PrivateBus {
    /// Starts a broker on this bus, and returns when it owns its name and exports its objects.
    ///
    /// - Parameters:
    ///   - command: the broker's program and its arguments. A tracer may come first.
    ///   - environment: variables in addition to those that every program on the bus gets.
    /// - Throws: a ``HarnessError`` with the broker's output if it exits or does not become ready.
    package func startBroker(
        _ command: [String], environment additional: [String: String] = [:]
    ) async throws -> RunningProcess {
        let process = try await RunningProcess.start(
            command[0], Array(command.dropFirst()), environment: environment.merging(additional) { $1 }, input: .none)
        do {
            try await process.errors.waitForLine { $0.split { !$0.isLetter }.contains("ready") }
            return process
        } catch {
            await process.end()
            throw error
        }
    }
}
