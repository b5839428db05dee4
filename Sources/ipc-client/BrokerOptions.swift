import ArgumentParser
import IPC
import IPCTools

/// The option of commands that ask the broker for something that it answers at once.
struct BrokerOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long the bus and the broker may take in all: seconds, or 300ms, 20s, 2m. Then the exit code is 75. \
            (default: 25s for each answer, longer for large content)
            """, valueName: "time"),
        transform: TimeSpan.parse)
    var timeout: TimeSpan?

    /// Connects to the bus. All calls of the application end when the time is over.
    /// - Parameter waiting: time that the command itself asks the broker to wait, in addition to the time-out.
    @DBusActor
    func connect(as id: String = Client.id, waiting: Duration = .zero) async throws(IPCError) -> Application {
        try await Client.connect(
            as: id, within: timeout?.duration, until: timeout.map { .now + $0.duration + waiting })
    }
}
