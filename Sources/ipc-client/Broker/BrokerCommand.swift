import ArgumentParser

struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commands: "broker", abstract: "Show the broker's state, and how much of its limits is in use.",
        discussion: """
            EXAMPLES
              ipc-client broker status
              ipc-client broker describe --json | jq .version
            """,
        subcommands: [BrokerStatus.self, BrokerDescribe.self])
}
