internal import IPCDBus

/// Runs `body` with a broker on a message bus of its own, and ends both when `body` returns or throws.
///
/// When this returns, all processes are gone and the temporary directory is removed, even if the task was cancelled.
/// Calls in parallel do not affect each other, and none touches the user's bus, home directory or store. The function
/// does not use Swift Testing, so tests with XCTest can call it too.
/// - Parameters:
///   - executable: the path of `ipc-broker`. If it is `nil`, the program is searched for: first the environment
///     variable `SWIFT_IPC_BROKER`, then the directory of the test executable, then `PATH`.
///   - arguments: further options of `ipc-broker`.
///   - body: the test. ``PrivateBroker/current`` is its broker.
/// - Throws: ``PrivateBrokerUnavailable`` if a program is missing; an error with the output of the bus or of the broker
///   if it does not start; the error of `body`.
public func withPrivateBroker<Result>(
    executable: String? = nil, arguments: [String] = [], _ body: (PrivateBroker) async throws -> Result
) async throws -> Result {
    let command = try BrokerCommand(.ofProcess, executable, arguments)
    let broker = try await PrivateBroker.start(command)
    do {
        let result = try await PrivateBroker.$scoped.withValue(broker) {
            try await SessionEnvironment.$ofTest.withValue(broker.environment) { try await body(broker) }
        }
        await broker.end()
        return result
    } catch {
        await broker.end()
        throw error
    }
}
