import ArgumentParser
import IPC
import IPCTools

struct Unregister: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "unregister", abstract: "Take back claims of an application to URL schemes.",
        discussion: """
            Takes back what 'register' has written, too: each file is as it was before, and what others have written into \
            it since stays. A scheme that the application does not claim is no error. A claim that comes from a file of a \
            package stays: take the file away.

            EXAMPLES
              ipc-client unregister IPCServer.demo --application demo.IPCServer
              ipc-client unregister --all --application com.example.Notes
            """)

    @Argument(
        help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"), completion: LiveNames.schemes)
    var schemes: [String] = []

    @Option(help: ArgumentHelp("Whose claims end.", valueName: "id"), completion: LiveNames.applications)
    var application: String

    @Flag(help: "All schemes of the application.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all || !schemes.isEmpty else { throw ValidationError("Name the schemes, or give --all.") }
        guard !all || schemes.isEmpty else { throw ValidationError("Name the schemes or give --all, not both.") }
    }

    func run() async throws {
        let app = try await Client.connect()
        let claimed = try await claimed(app)
        var refusal: IPCError?
        do throws(IPCError) { try await app.unregister(schemes, of: application) } catch {
            // A running application keeps its claim, but a claim for the session can end.
            guard error.code == .notOwner else { throw error }
            refusal = error
        }
        let links = try await app.unregisterFromDesktop(schemes, of: application)
        let session = try await app.desktop.unregisterForSession(schemes, of: application)
        let files = links.files + session.files
        // A claim that only a file makes ends with neither.
        if let refusal, files.isEmpty, claimed.contains(where: { !$0.isInstalled }) { throw refusal }
        try output.print(
            .object([
                "application": .string(application),
                "schemes": .array((all ? claimed.map(\.scheme) : schemes).map { .string($0) }),
                "all": .boolean(all), "files": files.json,
            ]), text: files.lines)
        if claimed.allSatisfy(\.isInstalled) && files.isEmpty { try warnOfNothing(claimed) }
        if files.isEmpty, claimed.contains(where: { $0.kind == "persistent" && $0.isActivatable ?? false }) {
            try output.warn(
                "FilesElsewhere",
                "the bus can still start \(application), by a file that was not written from here; if 'register' wrote it with "
                    + "another XDG_DATA_HOME, run this there once more")
        }
        try await warnOfWaiting(app)
        if refusal == nil, claimed.contains(where: { !$0.isInstalled }) { try await warnOfRunning(app) }
        for file in files where file.change == "kept" {
            try output.warn("Kept", "\(file.path) stays, for somebody has changed it; remove it yourself")
        }
    }

    /// Warns of requests that wait for an application that is now unknown.
    @DBusActor
    private func warnOfWaiting(_ app: Application) async throws {
        guard try await !app.bus.isReachable(application) else { return }
        let waiting = try await app.requests(state: .waiting, application: application).all().count
        guard waiting > 0 else { return }
        try output.warn(
            "RequestsWait",
            "\(waiting) request\(waiting == 1 ? " waits" : "s wait") for \(application) still; 'ipc-client requests --state waiting "
                + "--application \(application)' lists them, and 'ipc-client requests cancel ID' calls one off")
    }

    /// Warns of claims that a running application keeps.
    @DBusActor
    private func warnOfRunning(_ app: Application) async throws {
        let kept = try await claimed(app).filter { !$0.isInstalled }.map(\.scheme)
        guard !kept.isEmpty else { return }
        try output.warn(
            "StillClaimed",
            "\(application) runs, and claims \(kept.joined(separator: ", ")) by itself until it ends")
    }

    /// Warns that nothing was changed, with the reason.
    private func warnOfNothing(_ installed: [Handler]) throws {
        let what = all ? "any scheme" : schemes.map(\.quoted).joined(separator: ", ")
        try output.warn(
            "NotClaimed",
            installed.isEmpty
                ? "\(application) did not claim \(what), and nothing was changed; 'ipc-client handlers' lists who claims what"
                : "nothing was changed: \(application) claims \(installed.map(\.scheme.quoted).joined(separator: ", ")) by a "
                    + "file of its package; take that away")
    }

    /// The claims that the arguments name.
    @DBusActor
    private func claimed(_ app: Application) async throws(IPCError) -> [Handler] {
        var claims: [Handler] = []
        if all { claims = try await app.handlers().all() }
        for scheme in schemes { claims += try await app.handlers(of: scheme) }
        return claims.filter { $0.application == application }
    }
}

extension Handler {
    /// Whether a file makes the claim, so that only its removal ends it.
    fileprivate var isInstalled: Bool { kind == "installed" }
}
