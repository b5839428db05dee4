import ArgumentParser
import IPC
import IPCTools

struct BoardExport: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "export", abstract: "Write all pasteboards with their versions, and the handlers, to a folder.",
        discussion: """
            The folder gets "store.jsonl", with JSON lines that docs/tools.md describes, and "blobs", with a file for \
            each value above 4 KiB. Only you can read it. The export has all named pasteboards with their settings and \
            versions, the claims that outlive their applications, and the defaults of schemes. It lacks the content of \
            versions that are sensitive or can be read only once; standard error shows how many there are.

            EXAMPLES
              ipc-client board export backup
              ipc-client board export --json backup | jq -r .versions
            """)

    @Argument(
        help: ArgumentHelp("A folder that does not exist, or is empty.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The name of the folder is empty.") }
    }

    func run() async throws {
        let app = try await broker.connect()
        var export = StoreExport(app, to: try ExportFolder(creating: folder))
        try await export.run()
        if export.leftOut > 0 {
            try output.warn(
                "LeftOut",
                "left out sensitive or read-once content: \(Counted.text(UInt64(export.leftOut), "version"))"
            )
        }
        for sentence in export.unkept {
            try output.warn("PromiseBroken", "\(sentence): its writer promised this content, but does not provide it")
        }
        let counts = export.counts
        try output.print(
            .object([
                "folder": .string(folder), "pasteboards": .count(counts.pasteboards),
                "versions": .count(counts.versions), "registrations": .count(counts.registrations),
                "defaults": .count(counts.choices), "left-out": .count(UInt64(export.leftOut)),
                "damaged": .count(UInt64(export.damaged.count)),
                "without-promised": .count(UInt64(export.unkept.count)), "blobs": .count(export.folder.blobs),
                "blob-bytes": .count(export.folder.blobBytes),
            ]),
            text:
                "exported \(Counted.text(counts.pasteboards, "pasteboard")) with \(Counted.text(counts.versions, "version")) to \(folder)"
        )
        guard let first = export.damaged.first else { return }
        throw ToolFailure(
            name: "InputOutput",
            message: "the export lacks the content of \(Counted.text(UInt64(export.damaged.count), "version")) "
                + "that could not be read; the first: " + first,
            exit: .inputOutput)
    }
}

enum Counted {
    /// A count with its noun: `1 version`, `2 versions`.
    static func text(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// The amount of content, such as `2 items, 1.5 KiB`; nil if there are no items.
    static func content(_ items: some BinaryInteger, _ bytes: UInt64) -> String? {
        items > 0 ? "\(text(items, "item")), \(ByteSize.text(bytes))" : nil
    }
}
