import ArgumentParser
import IPC
import IPCTools

struct RequestCancel: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "cancel", abstract: "Cancel requests.",
        discussion: """
            A request that was not delivered ends at once. If the handler has the request, the broker asks the handler \
            to stop, and the handler's answer decides the outcome: 'request wait' waits for it. A request that has \
            ended is left unchanged, and the exit code is 0.

            EXAMPLES
              ipc-client request cancel 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client request cancel $(ipc-client request list --state queued | cut -f1)
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await broker.connect()
        try await requests.forEach(output) { (id) throws in
            try await app.request(id).cancel()
            try output.print(.object(["id": .string(id.text), "action": .string("cancel")]), text: nil)
            let request = try await app.request(id).info()
            guard request.state == .ended, request.outcome != .cancelled else { return }
            try output.warn(
                "HasEnded", "\(id) has already ended, and is left unchanged: \(request.outcome.rawValue)", id: id.text)
        }
    }
}

struct RequestRetry: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "retry", abstract: "Queue unhandled requests again.",
        discussion: """
            The new request has the same URL, content and handler, and a new id, which is printed. A request that has \
            not ended is rejected (exit code 65), and so is a request that was handled (66), because its content is \
            gone.

            EXAMPLES
              ipc-client request retry 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client request retry $(ipc-client request list --state failed | cut -f1)
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await broker.connect()
        try await requests.forEach(output) { (id) throws in
            let new = try await app.request(id).retry().id
            try output.print(.object(["id": .string(id.text), "new-id": .string(new.text)]), text: new.text)
        }
    }
}

struct RequestDrop: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "drop", abstract: "Forget requests that have ended, with their content.",
        discussion: """
            A request that has not ended is rejected (exit code 65): cancel it first. A forgotten request cannot be \
            retried.

            EXAMPLES
              ipc-client request drop 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client request list --state ended | cut -f1 | xargs ipc-client request drop
            """)

    @OptionGroup var requests: RequestIDs
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let app = try await broker.connect()
        try await requests.forEach(output) { (id) throws in
            try await app.request(id).drop()
            try output.print(.object(["id": .string(id.text), "action": .string("drop")]), text: nil)
        }
    }
}
