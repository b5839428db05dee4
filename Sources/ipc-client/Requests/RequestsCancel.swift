import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct RequestsCancel: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        _superCommandName: Client.tool,
        abstract: "Call requests off.",
        discussion: """
            One that its receiver does not have ends at once. Of one that it has, the receiver is told, and its answer \
            decides: 'requests wait' tells it. One that has ended stays as it is, and exit code 0 says that too.

            EXAMPLES
              ipc-client requests cancel 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests --state queued | cut -f1 | xargs ipc-client requests cancel
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        try await requests.forEach(output) { (id) throws in
            try await app.cancelRequest(id)
            try output.print(.object(["id": .string(id), "action": .string("cancel")]), text: nil)
            let request = try await app.request(id)
            guard request.state == .ended, request.outcome != .cancelled else { return }
            try output.warn(
                "HasEnded", "\(id) has ended, and stays as it is: \(request.outcome.rawValue)", id: id)
        }
    }
}
