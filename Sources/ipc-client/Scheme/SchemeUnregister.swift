import ArgumentParser
import IPC
import IPCTools

struct SchemeUnregister: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "unregister", abstract: "Remove an application's claims to URL schemes.",
        discussion: """
            Also restores the files that 'scheme register' has changed; changes made by other programs since then are \
            kept. It is not an error if the application does not claim a scheme. A claim that comes from a file of a \
            package stays: remove that file.

            EXAMPLES
              ipc-client scheme unregister IPCServer.demo --application demo.IPCServer
              ipc-client scheme unregister --all --application com.example.Notes
            """)

    @Argument(
        help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"), completion: LiveNames.schemes)
    var schemes: [String] = []

    @Option(
        help: ArgumentHelp("The application that claims them.", valueName: "id"), completion: LiveNames.applications)
    var application: String

    @Flag(help: "Remove the application's claims to all schemes.")
    var all = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all || !schemes.isEmpty else { throw ValidationError("Name the schemes, or give --all.") }
        guard !all || schemes.isEmpty else { throw ValidationError("Name the schemes or give --all, not both.") }
    }

    func run() async throws {
        let app = try await broker.connect()
        let (id, schemes) = (try ApplicationID(application), try self.schemes.map(URLScheme.init(_:)))
        let claimed = try await claimed(app)
        let (files, refusal) = try await StoredClaim.remove(app, schemes, of: id)
        // A claim from a package's file is not reported as refused, because this command can never remove it.
        if let refusal, files.isEmpty, claimed.contains(where: { !$0.isInstalled }) { throw refusal }
        try output.print(
            .object([
                "application": .string(application),
                "schemes": .array((all ? claimed.map(\.scheme.text) : self.schemes).map { .string($0) }),
                "all": .boolean(all), "files": files.json,
            ]), text: files.lines)
        if claimed.allSatisfy(\.isInstalled) && files.isEmpty { try warnOfNothing(claimed) }
        if files.isEmpty, claimed.contains(where: { $0.kind == "persistent" && $0.isActivatable ?? false }) {
            try output.warn(
                "FilesElsewhere",
                "the bus can still start \(application), because of a service file in another folder; if 'scheme register' "
                    + "wrote it with another XDG_DATA_HOME, run this command with the same XDG_DATA_HOME")
        }
        try await output.warnOfWaiting(app, for: id)
        if refusal == nil, claimed.contains(where: { !$0.isInstalled }) { try await warnOfRunning(app) }
        try output.warnOfKept(files)
    }

    @DBusActor
    private func warnOfRunning(_ app: Application) async throws {
        let kept = try await claimed(app).filter { !$0.isInstalled }.map(\.scheme.text)
        guard !kept.isEmpty else { return }
        try output.warn(
            "StillClaimed",
            "\(application) is running, and claims \(kept.joined(separator: ", ")) until it exits")
    }

    private func warnOfNothing(_ installed: [Handler]) throws {
        let what = all ? "any scheme" : schemes.map(\.quoted).joined(separator: ", ")
        try output.warn(
            "NotClaimed",
            installed.isEmpty
                ? "\(application) did not claim \(what), so nothing was changed; 'ipc-client scheme list' lists all claims"
                : "nothing was changed: \(application) claims "
                    + "\(installed.map(\.scheme.text.quoted).joined(separator: ", ")) with a file of its package; "
                    + "remove that file")
    }

    /// The claims that the arguments name.
    @DBusActor
    private func claimed(_ app: Application) async throws(IPCError) -> [Handler] {
        var claims: [Handler] = []
        if all { claims = try await app.handlers().all() }
        for scheme in schemes { claims += try await app.handlers(of: URLScheme(scheme)) }
        return claims.filter { $0.application == application }
    }
}

extension Handler {
    /// Whether the claim comes from a file, and can be removed only with that file.
    fileprivate var isInstalled: Bool { kind == "installed" }
}
