import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Describe: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        _superCommandName: Client.tool,
        abstract: "Show the state of the broker: version, features, limits, store.",
        discussion: """
            JSON, made for people and bug reports; with --json it is on one line. It never shows content.

            EXAMPLES
              ipc-client describe
              ipc-client describe --json | jq .limits
            """)

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let description = try await Client.connect().brokerDescription()
        let indented = (try? JSONValue(parsing: description))?.indentedText ?? description
        try OutputStream.output.writeLine(output.json ? description : indented)
    }
}
