import ArgumentParser
import IPC
import IPCTools

struct BoardImport: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "import", abstract: "Restore pasteboards and handlers from a folder that 'board export' wrote.",
        discussion: """
            The command checks the whole folder before it writes anything, and rejects a damaged one. Pasteboards get \
            their content byte for byte, with their earlier versions and settings. The versions get new change counts, \
            higher than any that the exported store has used, so that no program mistakes an old version for a new \
            one. Their times are those of the import. A pasteboard that has content, or a default that differs, is \
            replaced only with --replace. If the export leaves out all content of a pasteboard, the pasteboard stays as \
            it is. Otherwise, if the newest version is left out or has expired since the export, the pasteboard is \
            empty afterwards.

            EXAMPLES
              ipc-client board import backup
              ipc-client board import --replace backup
            """)

    @Argument(help: ArgumentHelp("A folder that 'board export' wrote.", valueName: "folder"), completion: .directory)
    var folder: String

    @Flag(help: "Replace pasteboards that have content, and defaults that differ.")
    var replace = false

    @Flag(help: "Also import claims to reserved schemes, such as http.")
    var allowReserved = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The name of the folder is empty.") }
    }

    func run() async throws {
        let reader = try Self.untouched { () throws in try ExportReader(folder) }
        let plan = try Self.untouched { () throws in try ImportPlan(reader) }
        let app = try await broker.connect()
        try await plan.check(app, replace: replace, allowReserved: allowReserved)
        let store = StoreImport(app, plan, allowReserved: allowReserved)
        do { try await store.run(reader) } catch {
            throw (error as? ToolFailure ?? (error as? IPCError).map(ToolFailure.init))?.adding(
                "the import stopped early, after \(Counted.text(store.versions, "version"))") ?? error
        }
        if plan.leftOut > 0 {
            try output.warn(
                "LeftOut",
                "not in the export, because the content is sensitive, can be read only once, or is damaged: "
                    + Counted.text(plan.leftOut, "version"))
        }
        for name in store.untouched {
            try output.warn("LeftOut", "the pasteboard \(name.quoted) stays as it is: its content is not in the export")
        }
        if store.ended > 0 {
            try output.warn("Ended", "expired since the export: \(Counted.text(store.ended, "version"))")
        }
        try output.print(
            .object([
                "folder": .string(folder), "pasteboards": .count(UInt64(plan.boards.count)),
                "versions": .count(store.versions), "registrations": .count(UInt64(plan.registrations.count)),
                "defaults": .count(UInt64(plan.choices.count)), "left-out": .count(plan.leftOut),
                "ended": .count(store.ended),
            ]),
            text:
                "imported \(Counted.text(UInt64(plan.boards.count), "pasteboard")) with \(Counted.text(store.versions, "version")) from \(folder)"
        )
    }

    /// Runs `body`. If it fails, adds “nothing was imported” to the message of the failure.
    private static func untouched<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as ToolFailure { throw failure.adding("nothing was imported") }
    }
}
