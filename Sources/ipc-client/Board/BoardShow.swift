import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct BoardShow: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "show", abstract: "Describe the content of a pasteboard: types, sizes, age, source, versions.",
        discussion: """
            Reads no content, so it consumes nothing and fetches no promised data. Only --preview reads the plain text \
            of the first item, and shows its start on one line. There is no preview of content that reading would \
            consume (once, sensitive).

            EXAMPLES
              ipc-client board show general
              ipc-client board show notes --preview
              ipc-client board show notes --json | jq -r '.versions[-1].types[][]'
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @Flag(help: "Also show the start of the text.")
    var preview = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws {
        let board = Pasteboard(named: try PasteboardName(board), of: try await broker.connect())
        let versions = try await board.versions()
        let summary = BoardSummary(
            name: board.name.text, versions: versions, isPersistent: try await board.isPersistent,
            historyLimit: try await board.historyLimit,
            preview: try await preview ? Self.text(board, versions.last) : nil)
        try output.print(summary.json, text: summary.text(isLocal: OutputStream.output.isTerminal, style: output.style))
    }

    /// Reads the start of the first item's plain text; nil if it has none, or if reading would consume it.
    @DBusActor
    static func text(_ board: Pasteboard, _ version: PasteboardVersionInfo?) async throws -> String? {
        guard let version, !version.isOnce, !version.isSensitive,
            let type = version.types.first?.first(where: \.isUTF8PlainText)
        else { return nil }
        let value = try await board.content(forType: type, item: 0, changeCount: version.changeCount)
        return try preview(of: value, 200)
    }

    /// The start of a value, at most this many bytes, as whole characters on one line; nil if the value is not text.
    static func preview(of value: Representation.Value, _ most: Int) throws -> String? {
        let bytes: [UInt8] =
            switch value {
            case .text(let text): Array(text.utf8.prefix(most))
            case .bytes(let bytes): Array(bytes.prefix(most))
            case .file(let file): try file.bytes(in: 0..<most)
            }
        // The limit may cut the last character in two, which leaves at most three of its bytes.
        for cut in 0...min(3, bytes.count) {
            guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else { continue }
            return MessageLine.escaped(text) + (value.byteCount > bytes.count - cut ? "…" : "")
        }
        return nil
    }
}

/// What `board show` prints about a pasteboard.
struct BoardSummary: Sendable {
    let name: String
    /// The versions, the current one last.
    let versions: [PasteboardVersionInfo]
    let isPersistent: Bool
    let historyLimit: UInt32
    let preview: String?
    var now = Timestamp.now

    var json: JSONValue {
        .object([
            "pasteboard": .string(name),
            "persistent": .boolean(isPersistent),
            "history-limit": .unsigned(historyLimit),
            "versions": .array(versions.map { .object(JSONValue.facts($0, of: name)) }),
            "preview": preview.map { .string($0) },
        ])
    }

    /// - Parameter isLocal: whether times are in local time, for people; otherwise they are in UTC.
    func text(isLocal: Bool, style: Style) -> String {
        var lines = [("pasteboard", style.bold(name.printable)), ("kept", kept)]
        if let version = versions.last {
            lines += [("count", String(version.changeCount))]
            if let time = version.writtenAt { lines.append(("changed", time.told(isLocal: isLocal, now: now))) }
            lines.append(("source", version.source.described))
            if let end = version.expiresAt { lines.append(("expires", end.told(isLocal: isLocal, now: now))) }
            if version.isSensitive { lines.append(("sensitive", "in memory only, and the first reader consumes it")) }
            if version.isOnce && !version.isSensitive { lines.append(("once", "the first reader consumes it")) }
            lines.append(("content", Counted.content(version.itemCount, version.byteCount) ?? "empty"))
            for (place, types) in version.types.enumerated() {
                lines.append(("item \(place)", types.map(\.text).joined(separator: ", ")))
            }
        }
        if let preview { lines.append(("preview", preview)) }
        return Table.named(lines)
    }

    private var kept: String {
        let place = isPersistent ? "persistent" : "in memory"
        let earlier = versions.count - 1
        let counted = earlier > 0 ? Counted.text(earlier, "earlier version") : "no earlier version"
        return "\(place), \(counted) (at most \(historyLimit))"
    }
}

extension Source {
    /// The application and how well its id is proven, or `unknown`.
    var described: String { application.isEmpty ? "unknown" : "\(application) (\(strength.rawValue))" }
}
