import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct History: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "history", abstract: "List the versions of a pasteboard that are held.",
        discussion: """
            Columns: change count, time (UTC), items, bytes, source, content types, marks (sensitive, once, expires); \
            the oldest first, the current one last. In a pipe they are separated by tabs, without headings. \
            'get BOARD --change-count N' reads one.

            EXAMPLES
              ipc-client history notes
              ipc-client history notes --keep 10
              ipc-client history notes --json | jq -r '."change-count"'
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @Option(number: "Keep so many earlier versions from now on, 0 to 100.")
    var keep: UInt32?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let most = Limits().historyMost
        guard UInt64(keep ?? 0) <= most else {
            throw ValidationError(
                "A pasteboard keeps \(most) earlier versions at most; give --keep a number from 0 to \(most).")
        }
    }

    func run() async throws {
        let board = try Pasteboard(named: board, of: try await Client.connect())
        if let keep { try await board.setHistoryLimit(keep) }
        let versions = try await board.versions()
        try output.printRows(versions.map { .object(JSONValue.facts($0, of: board.name)) }) { isAligned in
            var table = Table("COUNT", "CHANGED", "ITEMS", "BYTES", "SOURCE", "TYPES", "MARKS")
            for version in versions {
                table.add(
                    String(version.changeCount), version.millisecondsSince1970.map(Timestamp.text) ?? "",
                    String(version.itemCount), String(version.byteCount), version.source.application,
                    version.types.distinct.joined(separator: ","), version.marks)
            }
            return table.text(aligned: isAligned, style: output.style)
        }
    }
}
