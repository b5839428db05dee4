import ArgumentParser
import IPC
import IPCTools

struct Watch: ToolCommand {
    static let configuration = CommandConfiguration(
        command: "watch", abstract: "Report every pasteboard change as it happens.",
        discussion: """
            Prints a line for each change immediately. Tabs separate the fields: time (local on a terminal, UTC in a \
            pipe), pasteboard, number of the change, "set", "empty" or "removed", bytes, and the content types, \
            separated by commas. Content is not shown. Changes that follow each other faster than they can be reported \
            may share a line, but the last one is always reported. The command continues across restarts of the \
            broker. It exits with 0 on SIGINT, SIGTERM or SIGHUP, and when the reader closes its output.

            With --since N, the command first reports every pasteboard that has changed after the change N. \
            After "resync" on standard error, it reports every pasteboard that exists; consider all others removed.

            The command of --exec runs with "sh -c" for one change at a time. Its standard input is the content of the \
            first item, and its output is printed instead of the lines. Its environment has IPC_BOARD, \
            IPC_CHANGE_COUNT, IPC_EVENT (set, empty or removed), IPC_STATE (data, clear, nil or sensitive, as wl-paste \
            sets CLIPBOARD_STATE), IPC_TYPE, IPC_SIZE, IPC_ITEM_COUNT, IPC_SOURCE and IPC_SKIPPED. If reading would \
            consume the content (once, sensitive), it is not read: the input is empty, and IPC_ONCE is 1. If a command \
            fails, standard error reports it, and the next change follows.

            With --every-version, the command reports each version of a pasteboard in order, as long as the broker \
            still keeps it ('board history --keep N' makes it keep more). "skipped" (IPC_SKIPPED) says how many \
            versions at most were overwritten before that. It can be too high, because all pasteboards share one \
            counter.

            With --content, the JSON has the content too ("items"), as that of 'get', but not if reading would consume \
            it. Of a value above 16 MiB, it has only the size.

            EXAMPLES
              ipc-client watch
              ipc-client watch general --exec 'cat >> history.txt'
              ipc-client watch notes --count 1 --json | jq -r '."change-count"'
              ipc-client watch --since 41 --json
              ipc-client watch general --every-version --json --content
            """)

    @Argument(
        help: "The pasteboards, which need not exist yet. (default: all)", completion: LiveNames.boards)
    var boards: [String] = []

    @Option(number: "Report changes after this change count. (default: from now on)")
    var since: UInt64?

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Run a shell command for every change, with the content on its standard input.", valueName: "command"))
    var command: String?

    @Option(number: "Exit after this many changes.")
    var count: UInt64?

    @Flag(help: "Report each version that the broker keeps, not only the newest one.")
    var everyVersion = false

    @Flag(help: "With --json, add the content.")
    var content = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each record with NUL instead of a newline.")
    var null = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !content || output.json else { throw ValidationError("--content is for JSON; add --json.") }
        guard command == nil || !null else {
            throw ValidationError("With --exec, the output is the command's own; leave out --null.")
        }
        guard count != 0 else { throw ValidationError("--count must be at least 1.") }
        guard command == nil || !output.json else {
            throw ValidationError("With --exec, the output is the command's own; leave out --json.")
        }
    }

    func run() async throws {
        let stop = StopSignal()
        stop.listen()
        stop.listenForClosedOutput()
        let app = try await Client.connect()
        let names = try boards.map(PasteboardName.init(_:))
        await app.onBusLost { [output] in output.tellBusLost() }
        let newest = try await app.changeCount()
        let start = since ?? newest
        if start > newest {
            try output.warn(
                "FutureChangeCount",
                "there is no change \(start) (the newest is \(newest)), so the number comes from another store")
        }
        let told = boards.isEmpty ? "all pasteboards" : boards.joined(separator: ", ")
        try output.tell("Watching", "watching \(told) after change count \(start)")
        do { try await WatchLoop(self, of: names, app, stop, since: start).run() } catch let failure as ToolFailure {
            // If the reader of the output closes it, the command exits without an error.
            guard failure == .outputClosed else { throw failure }
        }
    }
}
