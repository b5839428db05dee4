import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct RequestsRetry: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        _superCommandName: Client.tool,
        abstract: "Queue requests that were not handled once more.",
        discussion: """
            With the same URL, content and receiver, and a new id, which goes to standard output. One that has not \
            ended is refused (exit code 65), one that was handled too (66: what was sent with it is gone).

            EXAMPLES
              ipc-client requests retry 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests retry $(ipc-client requests --state failed | cut -f1)
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        try await requests.forEach(output) { (id) throws in
            let new = try await app.retryRequest(id)
            try output.print(.object(["id": .string(id), "new-id": .string(new)]), text: new)
        }
    }
}
