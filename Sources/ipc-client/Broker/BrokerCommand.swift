import ArgumentParser

struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commands: "broker", abstract: "Show the broker's use of its limits, and its state.",
        discussion: """
            EXAMPLES
              ipc-client broker status
              ipc-client broker describe --json | jq .version
            """,
        subcommands: [BrokerStatus.self, BrokerDescribe.self])
}
