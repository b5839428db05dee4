import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct Trace: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        _superCommandName: Client.tool,
        abstract: "Tell every step of a request: when, what, which attempt, who.",
        discussion: """
            Columns: local time, step, attempt, who, bytes, detail; the oldest first. In a pipe they are separated by \
            tabs, without headings. Content is never shown. Of a request with very many steps the first and the last \
            ones are kept; the last ones before a broker was killed \
            may be missing.

            EXAMPLES
              ipc-client trace 4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
              ipc-client trace --json $id | jq -r 'select(.step == "handler-left").time'
            """)

    @Argument(help: ArgumentHelp("The id of the request.", valueName: "request-id"), completion: LiveNames.requests)
    var id: String

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        try RequestIDs.check(id)
        let table = TraceTable(try await Client.connect().traceRequest(id))
        guard !output.json else {
            for line in table.json { try OutputStream.output.writeLine(line.text) }
            return
        }
        let text = table.text(aligned: OutputStream.output.isTerminal, style: output.style)
        if !text.isEmpty { try OutputStream.output.writeLine(text) }
    }
}

/// The steps of a request as rows.
struct TraceTable: Sendable {
    private let steps: [TraceStep]

    init(_ steps: [TraceStep]) { self.steps = steps }

    func text(aligned: Bool, style: Style) -> String {
        var table = Table("TIME", "STEP", "ATTEMPT", "WHO", "BYTES", "DETAIL")
        for step in steps {
            table.add(
                Timestamp.local(step.time), step.kind.rawValue, step.attempt == 0 ? "" : String(step.attempt),
                step.who.onOneLine, step.size == 0 ? "" : String(step.size), step.detail.asTold)
        }
        return table.text(aligned: aligned, style: style)
    }

    /// An object for each step.
    var json: [JSONValue] {
        steps.map { step in
            .object([
                "time": .count(step.time),
                "step": .string(step.kind.rawValue),
                "attempt": step.attempt == 0 ? nil : .unsigned(step.attempt),
                "who": step.who.isEmpty ? nil : .string(step.who),
                "size": step.size == 0 ? nil : .count(step.size),
                "detail": step.detail.isEmpty ? nil : .string(step.detail),
            ])
        }
    }
}
