import ArgumentParser
import IPC
import IPCTools

struct Watch: ToolCommand {
    static let configuration = CommandConfiguration(
        command: "watch", abstract: "Tell every change of pasteboards, as it happens.",
        discussion: """
            A line for each change, written at once: time (UTC), pasteboard, change count, "set", "empty" or "removed", \
            bytes, content types with commas between; separated by tabs. Content is not shown. Changes that follow each \
            other faster than they can be told may be told as one, the last one always is. It goes on over restarts of \
            the broker, and ends with 0 at SIGINT, SIGTERM or SIGHUP, and when nobody reads its output.

            --since N resumes: every pasteboard that has moved after the change count N is told at once. After \
            "resync" on standard error every pasteboard that exists is told; take any other as removed.

            A command for --exec runs by "sh -c", one at a time, with the content of the first item on its standard \
            input; its output stands in place of the lines. It finds IPC_BOARD, IPC_CHANGE_COUNT, IPC_EVENT (set, empty \
            or removed), IPC_TYPE, IPC_SIZE, IPC_ITEM_COUNT and IPC_SOURCE in its environment. Content that reading \
            would consume (once, sensitive) is not read: then the input is empty and IPC_ONCE is 1. A command that fails \
            is told on standard error, and the next change comes.

            EXAMPLES
              ipc-client watch
              ipc-client watch general --exec 'cat >> history.txt'
              ipc-client watch notes --count 1 --json | jq -r '."change-count"'
              ipc-client watch --since 41 --json
            """)

    @Argument(
        help: "The pasteboards, which need not exist yet; all if it is left out.", completion: LiveNames.boards)
    var boards: [String] = []

    @Option(number: "Tell what changed after this change count. (default: from now on)")
    var since: UInt64?

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Run a shell command for every change, with the content on its standard input.", valueName: "command"))
    var command: String?

    @Option(number: "End after this many changes.")
    var count: UInt64?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard count != 0 else { throw ValidationError("--count is at least 1.") }
        guard command == nil || !output.json else {
            throw ValidationError("With --exec the output is that of the command; leave out --json.")
        }
    }

    func run() async throws {
        let stop = StopSignal()
        stop.listen()
        stop.listenForClosedOutput()
        let app = try await Client.connect()
        for board in boards { _ = try Pasteboard(named: board, of: app) }
        await app.onBusLost { [output] in output.tellBusLost() }
        let newest = try await app.changeCount()
        let start = since ?? newest
        if start > newest {
            try output.warn(
                "FutureChangeCount",
                "there is no change \(start) yet, the newest is \(newest): the number is of another store")
        }
        let names = boards.isEmpty ? "all pasteboards" : boards.joined(separator: ", ")
        try output.tell("Watching", "watching \(names) after change count \(start)")
        do { try await WatchLoop(self, app, stop, since: start).run() } catch let failure as ToolFailure {
            // A reader that has gone ends the command without an error.
            guard failure == .outputClosed else { throw failure }
        }
    }
}
