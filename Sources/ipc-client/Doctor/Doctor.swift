import ArgumentParser
import IPCModel
import IPCTools

struct Doctor: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "doctor",
        abstract: "Find problems with the bus, the broker, activation and the desktop, and show how to fix them.",
        discussion: """
            Doctor changes nothing. If the bus can start the broker, doctor makes it do so, because the broker has \
            most of the information. Each finding has a level ("problem", "note", and with --all "ok"), a name, a \
            message, and a shell command that fixes it. Fix the findings from the top, and run doctor again: one \
            problem can hide another. In a pipe, tabs separate the fields. The exit code is 69 if there is a problem, \
            else 0. Notes are not problems.

            EXAMPLES
              ipc-client doctor
              ipc-client doctor --all
              ipc-client doctor --json | jq -r 'select(.level == "problem") | .command'
            """)

    @Flag(help: "Also list the checks that found no problem.")
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
