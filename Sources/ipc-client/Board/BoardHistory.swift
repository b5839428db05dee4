import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct BoardHistory: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "history", abstract: "List the versions of a pasteboard that the broker keeps.",
        discussion: """
            Columns: change count, age, items, bytes, source, content types, marks (sensitive, once, expires). The \
            oldest version is first, and the current one last. In a pipe, tabs separate the columns, there are no \
            headings, and the time (UTC) replaces the age. 'get BOARD --change-count N' reads a version.

            EXAMPLES
              ipc-client board history notes
              ipc-client board history notes --keep 10
              ipc-client board history notes --json | jq -r '."change-count"'
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @Option(number: "From now on, keep this many earlier versions, 0 to 100.")
    var keep: UInt32?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func validate() throws {
        let most = Limits().historyMost
        guard UInt64(keep ?? 0) <= most else {
            throw ValidationError(
                "A pasteboard keeps at most \(most) earlier versions; give --keep a number from 0 to \(most).")
        }
    }

    func run() async throws {
        let board = Pasteboard(named: try PasteboardName(board), of: try await broker.connect())
        if let keep { try await board.setHistoryLimit(keep) }
        let (versions, now) = (try await board.versions(), Timestamp.now)
        try output.printRows(versions.map { .object(JSONValue.facts($0, of: board.name.text)) }) { isAligned in
            var table = Table("COUNT", "CHANGED", "ITEMS", "BYTES", "SOURCE", "TYPES", "MARKS")
            for version in versions {
                table.add(
                    String(version.changeCount), version.writtenAt?.cell(isAligned: isAligned, now: now) ?? "",
                    String(version.itemCount), String(version.byteCount), version.source.application,
                    version.types.distinct.joined(separator: ","), version.marks)
            }
            return table.text(aligned: isAligned, style: output.style)
        }
    }
}
