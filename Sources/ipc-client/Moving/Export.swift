import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Export: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        _superCommandName: Client.tool,
        abstract: "Write all pasteboards with their versions, and the handlers, to a folder.",
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

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        var export = StoreExport(app, to: try ExportFolder(creating: folder))
        try await export.run()
        if export.leftOut > 0 {
            try output.warn(
                "LeftOut", "left out, as sensitive or read only once: \(Counted.versions(UInt64(export.leftOut)))")
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
                "without-promised": .count(UInt64(export.unkept.count)), "blobs": .count(counts.blobs),
                "blob-bytes": .count(counts.blobBytes),
            ]),
            text:
                "exported \(Counted.pasteboards(counts.pasteboards)) with \(Counted.versions(counts.versions)) to \(folder)"
        )
        guard let first = export.damaged.first else { return }
        throw ToolFailure(
            name: "InputOutput",
            message:
                "\(Counted.versions(UInt64(export.damaged.count))) could not be read, and the export is without; the first: "
                + first,
            exit: .inputOutput)
    }
}
