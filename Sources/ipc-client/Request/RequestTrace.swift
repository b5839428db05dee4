import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct RequestTrace: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "trace", abstract: "List every step of a request: its time, attempt and participant.",
        discussion: """
            Columns: time (local on a terminal, UTC in a pipe), step, attempt, who (an application or a connection), \
            bytes, detail; the oldest first. In a pipe, tabs separate the columns, and there are no headings. Content \
            is never shown. For a request with very many steps, the broker keeps the first and the last ones. If a \
            broker was killed, the last steps that it took may be missing.

            EXAMPLES
              ipc-client request trace 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client request trace --json $id | jq -r 'select(.step == "handler-left").time'
            """)

    @Argument(help: ArgumentHelp("The id of the request.", valueName: "request-id"), completion: LiveNames.requests)
    var id: String

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = try RequestIDs.checked(id)
        let table = TraceTable(steps: try await broker.connect().request(id).trace())
        try output.printRows(table.json) { table.text(aligned: $0, style: output.style) }
    }
}

struct TraceTable: Sendable {
    let steps: [TraceStep]

    func text(aligned: Bool, style: Style) -> String {
        var table = Table("TIME", "STEP", "ATTEMPT", "WHO", "BYTES", "DETAIL")
        for step in steps {
            table.add(
                step.time.text(isLocal: aligned, fraction: true), step.kind.rawValue,
                step.attempt == 0 ? "" : String(step.attempt), step.who.onOneLine,
                step.size == 0 ? "" : String(step.size), step.detail.asTold)
        }
        return table.text(aligned: aligned, style: style)
    }

    var json: [JSONValue] {
        steps.map { step in
            .object([
                "time": .time(step.time),
                "step": .string(step.kind.rawValue),
                "attempt": step.attempt == 0 ? nil : .unsigned(step.attempt),
                "who": .nonEmpty(step.who),
                "size": step.size == 0 ? nil : .count(step.size),
                "detail": .nonEmpty(step.detail),
            ])
        }
    }
}
