import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools

struct Pick: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "pick", abstract: "Choose an earlier content of a pasteboard, and make it the current one.",
        discussion: """
            Shows the versions that the broker keeps, the newest first, and puts the chosen one on the pasteboard \
            again, with all its types. Secrets and content for one reader are not shown. If you choose nothing, the \
            pasteboard stays as it is, and the exit code is 2.

            On a terminal, fzf shows the list if it is installed. Without a terminal, fuzzel or rofi does. Otherwise, \
            you choose from a numbered list. With --with, a shell command of yours gets the list on its standard \
            input, and prints the chosen line. Each line has the change count, a tab, and the start of the content.

            The broker keeps 20 earlier versions of the pasteboard general. 'board history BOARD --keep N' changes \
            the number.

            EXAMPLES
              ipc-client pick
              ipc-client pick --with 'rofi -dmenu -p clipboard'
              ipc-client pick --board notes --with 'head -n 2 | tail -n 1'
            """)

    @Option(help: ArgumentHelp("The pasteboard.", valueName: "board"), completion: LiveNames.boards)
    var board = Client.generalPasteboard

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp("The shell command that lets the user choose a line.", valueName: "command"))
    var command: String?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws {
        // A command need not read the whole list.
        StopSignal().ignoreClosedOutput()
        let board = Pasteboard(named: try PasteboardName(board), of: try await broker.connect())
        let rows = try await PickRow.all(of: board)
        guard !rows.isEmpty else {
            throw ToolFailure(
                name: IPCError.Code.noSuchItem.rawValue,
                message: "the pasteboard \(self.board.quoted) has no content to choose from", exit: .noInput)
        }
        guard let picked = try await chosen(from: rows) else {
            throw ToolFailure(name: Outcome.cancelled.rawValue, message: "", exit: .cancelled)
        }
        // The time that the user took must not count, so the rest has a new time-out.
        let count = try await restore(picked, on: Pasteboard(named: board.name, of: try await broker.connect()))
        try output.print(
            .object([
                "pasteboard": .string(self.board), "change-count": .count(count), "picked": .count(picked.changeCount),
            ]), text: nil)
    }

    /// Returns the version that the user chooses; nil if the user chooses none.
    @DBusActor
    private func chosen(from rows: [PickRow]) async throws -> PasteboardVersionInfo? {
        let terminal = OutputStream.error.isTerminal && isatty(STDIN_FILENO) == 1
        guard let command = command ?? Chooser.installed(isTerminal: terminal) else {
            guard terminal else { throw ToolFailure.noChooser }
            return try PickRow.chosenByNumber(from: rows)
        }
        guard let line = try await Chooser(command).choice(among: rows.map(\.line)) else { return nil }
        guard let row = rows.first(where: { String($0.version.changeCount) == line.prefix { $0 != "\t" } }) else {
            throw ToolFailure(
                name: "InvalidArguments",
                message: "the command of --with printed \(line.quoted), which is not one of the lines that it got",
                exit: .dataError)
        }
        return row.version
    }

    /// Makes a version the current one.
    /// - Returns: the new change count; that of the version if it is the current one already.
    @DBusActor
    private func restore(_ picked: PasteboardVersionInfo, on board: Pasteboard) async throws(IPCError) -> UInt64 {
        guard try await board.changeCount != picked.changeCount else { return picked.changeCount }
        let version = try await board.version(picked.changeCount)
        return try await board.restore(
            version.items, source: version.source.application, options: PasteboardOptions(expiresAt: version.expiresAt))
    }
}

extension ToolFailure {
    fileprivate static let noChooser = ToolFailure(
        name: "NoChooser",
        message: "there is no program to choose with; install fuzzel or rofi, give --with COMMAND, or use a terminal",
        exit: .unavailable)
}

/// A line of the list of `pick`.
struct PickRow: Sendable {
    let version: PasteboardVersionInfo
    /// The start of the content, on one line.
    let preview: String

    var line: String { "\(version.changeCount)\t\(preview)" }

    /// The rows of a pasteboard, the newest first: all versions with content that reading does not consume.
    @DBusActor
    static func all(of board: Pasteboard) async throws -> [PickRow] {
        var rows: [PickRow] = []
        for version in try await board.versions().reversed()
        where version.itemCount > 0 && !version.isOnce && !version.isSensitive {
            let text = try await BoardShow.text(board, version)
            rows.append(PickRow(version: version, preview: text ?? described(version)))
        }
        return rows
    }

    private static func described(_ version: PasteboardVersionInfo) -> String {
        "[\(version.types.distinct.joined(separator: ", ")), \(ByteSize.text(version.byteCount))]"
    }

    /// Shows a numbered list on the terminal, and reads a number.
    /// - Returns: nil if the user enters nothing.
    static func chosenByNumber(from rows: [PickRow]) throws(ToolFailure) -> PasteboardVersionInfo? {
        let columns = (OutputStream.error.columns ?? 80) - 1
        for (place, row) in rows.enumerated() {
            try OutputStream.error.writeLine(String("\(place + 1)  \(row.preview)".prefix(columns)))
        }
        while true {
            try OutputStream.error.write("number (nothing to cancel): ")
            guard let answer = readLine(), !answer.isEmpty else { return nil }
            if let number = Int(answer), rows.indices.contains(number - 1) { return rows[number - 1].version }
            try OutputStream.error.writeLine("give a number from 1 to \(rows.count)")
        }
    }
}
