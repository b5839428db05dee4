import ArgumentParser

struct BoardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commands: "board", abstract: "List, show, clear, remove, export and import pasteboards.",
        discussion: """
            'copy', 'paste', 'set', 'get' and 'watch' use the content of pasteboards.

            EXAMPLES
              ipc-client board list
              ipc-client board history notes
              ipc-client board prune --older-than 30d --dry-run
            """,
        subcommands: [
            BoardList.self, BoardShow.self, BoardHistory.self, BoardClear.self, BoardRemove.self, BoardPrune.self,
            BoardExport.self, BoardImport.self,
        ])
}
