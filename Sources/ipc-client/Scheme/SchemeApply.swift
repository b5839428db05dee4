import ArgumentParser
import IPC
import IPCDesktop
import IPCModel
import IPCTools

struct SchemeApply: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "apply", abstract: "Make the settings of a file of 'scheme export' those of this machine.",
        discussion: """
            Makes only the changes that are needed, with the operations of 'scheme register', 'handle', 'scheme \
            default' and 'scheme policy', and prints a line for each: "+" for a new setting, "~" for a changed one, \
            "-" for a removed one. Claims, defaults and policies that are not in the file stay, unless you give \
            --prune. Applying a file again changes nothing. The whole file is checked before the first change: if \
            anything in it is wrong, nothing is changed, and the exit code is 65.

            EXAMPLES
              ipc-client scheme apply --dry-run schemes.json
              ipc-client scheme apply schemes.json
              ipc-client scheme apply --prune schemes.json
            """)

    @Argument(
        help: ArgumentHelp("The file, or \"-\" for standard input.", valueName: "file"), completion: .file())
    var path: String

    @Flag(help: "Only print what would be changed.")
    var dryRun = false

    @Flag(help: "Also remove the stored claims, defaults and policies that their lists in the file lack.")
    var prune = false

    @Flag(help: "Accept claims to schemes that are reserved for the system, such as http and mailto.")
    var allowReserved = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try checkedSettings()
        let app = try await broker.connect()
        let current = try await SchemeSettings.current(app)
        let changes = SettingsChange.all(from: current, to: settings, prunes: prune)
        guard !changes.isEmpty else {
            return try output.tell("Unchanged", "nothing changes: this machine has the settings of the file")
        }
        var told: Set<StoredClaim.Stored.Warning> = []
        for (place, change) in changes.enumerated() {
            do {
                let warnings = dryRun ? [] : try await change.make(app, for: settings)
                for warning in warnings where told.insert(warning).inserted { try output.warn(warning) }
            } catch {
                guard let failure = ToolFailure(any: error) else { throw error }
                throw failure.adding("this change failed: \(change.line)").adding(
                    "\(place) of \(Counted.text(changes.count, "change")) had been made; run the command again to continue"
                )
            }
            try output.print(change.json(isDryRun: dryRun), text: change.line)
        }
    }

    /// Reads the file, and checks everything in it.
    private func checkedSettings() throws(ToolFailure) -> SchemeSettings {
        do throws(ToolFailure) {
            let settings = try SettingsReader.read(try content())
            try check(settings)
            return settings
        } catch {
            let name = path == "-" ? "standard input" : path.quoted
            let message = error.exit == .dataError ? "\(name): \(error.message)" : error.message
            throw ToolFailure(name: error.name, message: message, exit: error.exit).adding("nothing was changed")
        }
    }

    private func content() throws(ToolFailure) -> [UInt8] {
        let most = UInt64(InputFile.mostBytes)
        let value = try path == "-" ? InputFile.readStandardInput(most: most) : InputFile.read(path, most: most)
        return value.content
    }

    /// Checks what depends on the command line and on this machine.
    private func check(_ settings: SchemeSettings) throws(ToolFailure) {
        if !allowReserved, let reserved = settings.claims.first(where: \.scheme.isReserved) {
            throw ToolFailure(
                name: IPCError.Code.reservedScheme.rawValue,
                message:
                    "the scheme \(reserved.scheme) is reserved for the system; add --allow-reserved to claim it for "
                    + reserved.stored.application.text,
                exit: .notPermitted)
        }
        guard let claim = settings.claims.first(where: \.stored.writesFiles) else { return }
        // The opener and the folder for the files must be there before anything is stored.
        _ = try Programs.client()
        do throws(IPCError) { _ = try DesktopRegistration(claim.stored.application, in: .ofProcess) } catch {
            throw ToolFailure(error)
        }
    }
}
