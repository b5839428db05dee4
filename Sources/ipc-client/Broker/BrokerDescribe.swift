import ArgumentParser
import IPC
import IPCTools

struct BrokerDescribe: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "describe", abstract: "Show the state of the broker: version, features, limits, store.",
        discussion: """
            Prints JSON for people and bug reports, with --json on one line. Content is never shown.

            EXAMPLES
              ipc-client broker describe
              ipc-client broker describe --json | jq .limits
            """)

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let description = try await broker.connect().brokerDescription()
        guard let value = try? JSONValue(parsing: description) else {
            return try OutputStream.output.writeLine(description)
        }
        try output.print(value, text: value.indentedText)
    }
}
