import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct RequestsDrop: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        _superCommandName: Client.tool,
        abstract: "Forget requests that have ended, and what was sent with them.",
        discussion: """
            One that has not ended is refused (exit code 65): cancel it first. One that is forgotten cannot be retried.

            EXAMPLES
              ipc-client requests drop 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests --state ended | cut -f1 | xargs ipc-client requests drop
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        try await requests.forEach(output) { (id) throws in
            try await app.dropRequest(id)
            try output.print(.object(["id": .string(id), "action": .string("drop")]), text: nil)
        }
    }
}
