import ArgumentParser
import IPC
import IPCTools

struct Export: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "export", abstract: "Write all pasteboards with their versions, and the handlers, to a folder.",
        discussion: """
            The folder gets "store.jsonl", JSON lines that docs/tools.md describes, and "blobs", a file for each value \
            above 4 KiB; only you may read it. In it are all named pasteboards with their settings and every version \
            that is held, claims that outlive their applications, and the defaults of schemes. Versions that are \
            sensitive or that reading would consume are left out and counted on standard error; the content of each is \
            then missing, and nothing else.

            EXAMPLES
              ipc-client export backup
              ipc-client export --json backup | jq -r .versions
            """)

    @Argument(
        help: ArgumentHelp("A folder that does not exist yet, or is empty.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The name of the folder is empty.") }
    }

    func run() async throws {
        let app = try await Client.connect()
        var export = StoreExport(app, to: try ExportFolder(creating: folder))
        try await export.run()
        if export.leftOut > 0 {
            try output.warn(
                "LeftOut",
                "left out, as sensitive or read only once: \(Counted.text(UInt64(export.leftOut), "version"))")
        }
        for sentence in export.unkept {
            try output.warn("PromiseBroken", "\(sentence): it was promised, and its writer does not give it")
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
            message:
                "\(Counted.text(UInt64(export.damaged.count), "version")) could not be read, and the export is without; the first: "
                + first,
            exit: .inputOutput)
    }
}

enum Counted {
    /// `1 version`, `2 versions`
    static func text(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// `2 items, 1.5 KiB`; nil for no items.
    static func content(_ items: some BinaryInteger, _ bytes: UInt64) -> String? {
        items > 0 ? "\(text(items, "item")), \(ByteSize.text(bytes))" : nil
    }
}
