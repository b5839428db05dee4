import ArgumentParser
import IPCModel
import IPCTools

struct Doctor: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "doctor",
        abstract: "Look for what is wrong with bus, broker, activation and desktop, and say what mends it.",
        discussion: """
            Nothing is changed; the broker is started if the bus can do it, for most is learnt from it. Each finding has \
            a level ("problem", "note", with --all also "ok"), a word, a sentence, and a line for the shell that mends \
            it. Mend from the top, and look again: one thing can hide another. In a pipe the fields are separated by \
            tabs. Exit code 0 if there is no problem, else 69; notes are no problem.

            EXAMPLES
              ipc-client doctor
              ipc-client doctor --all
              ipc-client doctor --json | jq -r 'select(.level == "problem") | .command'
            """)

    @Flag(help: "Tell what is right, too.")
    var all = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = Check.report(on: await Facts.read())
        let isTerminal = OutputStream.output.isTerminal
        for finding in report where all || finding.level != .ok {
            try output.print(finding.json, text: finding.text(aligned: isTerminal, style: output.style))
        }
        let problems = report.count { $0.level == .problem }
        guard problems == 0 else {
            throw ToolFailure(
                name: "Problems", message: "\(problems) problem\(problems == 1 ? "" : "s") found", exit: .unavailable)
        }
        if !output.json, isTerminal, report.allSatisfy({ $0.level == .ok }) {
            try OutputStream.output.writeLine("Nothing is wrong; --all lists the checks.")
        }
    }
}
