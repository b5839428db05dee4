import ArgumentParser

struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commands: "request", abstract: "List, show, wait for, cancel, retry, drop and trace requests to open URLs.",
        discussion: """
            The broker knows the requests that have not ended, and those that ended in the last day (the newest 10000 \
            per source).

            EXAMPLES
              ipc-client request list --state waiting --application demo.IPCServer
              ipc-client request list --state failed --json | jq -r .id
              ipc-client request wait --timeout 1m 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
            """,
        subcommands: [
            RequestList.self, RequestShow.self, RequestWait.self, RequestCancel.self, RequestRetry.self,
            RequestDrop.self, RequestTrace.self,
        ])
}
