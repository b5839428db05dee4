import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct Get: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Write what is on a pasteboard to standard output, byte for byte.",
        discussion: """
            Without options: the first item, as plain text if it has one, else in its first type; nothing, and exit \
            code 0, if the pasteboard is empty. On a terminal a newline follows. With --json: all items, texts as they \
            are and other bytes in base64.

            EXAMPLES
              ipc-client get demo.IPCClient
              ipc-client get --type image/png --item 1 pictures > second.png
              ipc-client get --json demo.IPCClient | jq -r '.items[][].type'
            """)

    @Argument(help: "The pasteboard.")
    var board: String

    @Option(help: ArgumentHelp("Only this content type, MIME or UTI.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("Which item, counted from 0.", valueName: "n"))
    var item: UInt32?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !output.json || (type == nil && item == nil) else {
            throw ValidationError("--json shows all items; leave out --type and --item.")
        }
    }

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        let board = try Pasteboard(named: board, of: app)
        if let type {
            let type = try ContentType(type)
            return try OutputStream.output.writeContent(try await board.data(forType: type, item: item ?? 0))
        }
        let version = try await board.version()
        if output.json { return try OutputStream.output.writeLine(json(version).text) }
        try OutputStream.output.writeContent(try content(version))
    }

    private func content(_ version: PasteboardVersion) throws(ToolFailure) -> [UInt8] {
        guard Int(item ?? 0) < version.items.count else {
            guard let item else { return [] }
            throw ToolFailure(
                name: "NoSuchItem",
                message: "the pasteboard \(board.quoted) has \(version.items.count) items, counted from 0, so there is "
                    + "no item \(item)",
                exit: .noInput)
        }
        return version.items[Int(item ?? 0)].preferred?.value.content ?? []
    }

    private func json(_ version: PasteboardVersion) -> JSONValue {
        .object([
            "pasteboard": .string(board),
            "change-count": .count(version.changeCount),
            "source-application": .string(version.source.application),
            "source-strength": .string(version.source.strength.rawValue),
            "time": version.millisecondsSince1970.map { .count($0) },
            "size": .count(version.byteCount),
            "items": .items(version.items),
        ])
    }
}
