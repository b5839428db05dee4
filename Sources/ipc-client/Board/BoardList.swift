import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct BoardList: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "list", abstract: "List the pasteboards.",
        discussion: """
            Columns: name, change count, "persistent" or "memory", items, bytes, age of the last change. In a pipe, \
            tabs separate the columns, there are no headings, and the time (UTC) replaces the age. Content is never \
            shown.

            EXAMPLES
              ipc-client board list
              ipc-client board list --prefix demo.
              ipc-client board list --json | jq -r .pasteboard
            """)

    @Option(help: ArgumentHelp("List only names that start with this text.", valueName: "text"))
    var prefix = ""

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let boards = try await broker.connect().pasteboards(prefix: prefix)
        // Each row is written before the next page arrives, so even a long list takes little memory.
        guard !output.json else {
            for try await board in boards { try output.write(json(board)) }
            return
        }
        let now = Timestamp.now
        var table = Table("PASTEBOARD", "COUNT", "KEPT", "ITEMS", "BYTES", "CHANGED")
        for try await board in boards {
            table.add(
                board.name.text, String(board.changeCount), board.isPersistent ? "persistent" : "memory",
                String(board.itemCount), String(board.byteCount),
                board.changedAt?.cell(isAligned: OutputStream.output.isTerminal, now: now) ?? "")
        }
        try output.printRows([]) { table.text(aligned: $0, style: output.style) }
    }

    private func json(_ board: PasteboardInfo) -> JSONValue {
        .object([
            "pasteboard": .string(board.name.text),
            "change-count": .count(board.changeCount),
            "persistent": .boolean(board.isPersistent),
            "item-count": .unsigned(board.itemCount),
            "size": .count(board.byteCount),
            "time": board.changedAt.map(JSONValue.time),
            "history-limit": board.historyLimit.map { .unsigned($0) },
            "versions": board.versionCount.map { .unsigned($0) },
            "sensitive": board.isSensitive ? .boolean(true) : nil,
            "once": board.isOnce ? .boolean(true) : nil,
            "expires": board.expiresAt.map(JSONValue.time),
        ])
    }
}
