import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

struct Show: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        _superCommandName: Client.tool,
        abstract: "Describe what is on a pasteboard: types, sizes, age, source, versions.",
        discussion: """
            Nothing is read but with --preview, so nothing is consumed and no promised data is asked for. The preview is \
            the start of the first item's text on one line; of content that reading would consume (once, sensitive) \
            there is none.

            EXAMPLES
              ipc-client show general
              ipc-client show notes --preview
              ipc-client show notes --json | jq -r '.versions[-1].types[][]'
            """)

    /// The bytes of a text of which a preview is made.
    static let previewBytes = 200

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @Flag(help: "Show the start of the text too.")
    var preview = false

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let board = try Pasteboard(named: board, of: try await Client.connect())
        let versions = try await board.versions()
        let summary = BoardSummary(
            name: board.name, versions: versions, isPersistent: try await board.isPersistent,
            historyLimit: try await board.historyLimit, preview: try await preview ? text(board, versions.last) : nil)
        try output.print(summary.json, text: summary.text(style: output.style))
    }

    /// The start of the first item's plain text; nil where there is none, or where to read it would consume it.
    @DBusActor
    private func text(_ board: Pasteboard, _ version: PasteboardVersionInfo?) async throws -> String? {
        guard let version, !version.isOnce, !version.isSensitive,
            let type = version.types.first?.first(where: \.isUTF8PlainText)
        else { return nil }
        let value = try await board.content(forType: type, item: 0, changeCount: version.changeCount)
        return try Preview.text(value, Self.previewBytes)
    }
}

/// The start of a text.
enum Preview {
    /// At most so many bytes, whole characters, on one line; nil where it is no text.
    static func text(_ value: Representation.Value, _ most: Int) throws -> String? {
        let bytes: [UInt8] =
            switch value {
            case .text(let text): Array(text.utf8.prefix(most))
            case .bytes(let bytes): Array(bytes.prefix(most))
            case .file(let file): try file.bytes(in: 0..<most)
            }
        // The last character may be cut: at most three bytes of it are there.
        for cut in 0...min(3, bytes.count) {
            guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else { continue }
            return MessageLine.escaped(text) + (value.byteCount > bytes.count - cut ? "…" : "")
        }
        return nil
    }
}
