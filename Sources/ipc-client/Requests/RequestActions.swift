import ArgumentParser
import IPC
import IPCTools

struct RequestsCancel: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "cancel", abstract: "Call requests off.",
        discussion: """
            One that its receiver does not have ends at once. Of one that it has, the receiver is told, and its answer \
            decides: 'requests wait' tells it. One that has ended stays as it is, and exit code 0 says that too.

            EXAMPLES
              ipc-client requests cancel 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests --state queued | cut -f1 | xargs ipc-client requests cancel
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

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

struct RequestsRetry: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "retry", abstract: "Queue requests that were not handled once more.",
        discussion: """
            With the same URL, content and receiver, and a new id, which goes to standard output. One that has not \
            ended is refused (exit code 65), one that was handled too (66: what was sent with it is gone).

            EXAMPLES
              ipc-client requests retry 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests retry $(ipc-client requests --state failed | cut -f1)
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await Client.connect()
        try await requests.forEach(output) { (id) throws in
            let new = try await app.retryRequest(id)
            try output.print(.object(["id": .string(id), "new-id": .string(new)]), text: new)
        }
    }
}

struct RequestsDrop: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "drop", abstract: "Forget requests that have ended, and what was sent with them.",
        discussion: """
            One that has not ended is refused (exit code 65): cancel it first. One that is forgotten cannot be retried.

            EXAMPLES
              ipc-client requests drop 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client requests --state ended | cut -f1 | xargs ipc-client requests drop
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await Client.connect()
        try await requests.forEach(output) { (id) throws in
            try await app.dropRequest(id)
            try output.print(.object(["id": .string(id), "action": .string("drop")]), text: nil)
        }
    }
}
