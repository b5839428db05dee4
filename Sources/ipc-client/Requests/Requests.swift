import ArgumentParser

/// What became of requests, and what can still be done about them.
struct Requests: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        _superCommandName: Client.tool,
        abstract: "List requests to open URLs, and show, await, cancel, retry or drop them.",
        discussion: """
            Without a subcommand it lists: 'requests list'. Requests are known while they run, and for a day after their \
            end (the newest 10000 of a source).

            EXAMPLES
              ipc-client requests
              ipc-client requests --state waiting --application demo.IPCServer
              ipc-client requests --state failed --json | jq -r .id
              ipc-client requests wait --timeout 1m 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
            """,
        subcommands: [
            RequestsList.self, RequestsShow.self, RequestsWait.self, RequestsCancel.self, RequestsRetry.self,
            RequestsDrop.self,
        ],
        defaultSubcommand: RequestsList.self)
}
