import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Unregister: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        _superCommandName: Client.tool,
        abstract: "Take back claims of an application to URL schemes.",
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

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        let claimed = try await claimed(app)
        var refusal: IPCError?
        do throws(IPCError) { try await app.unregister(schemes, of: application) } catch {
            // A running application keeps its own claim; one for the session is beside it.
            guard error.code == .notOwner else { throw error }
            refusal = error
        }
        let links = try await app.unregisterFromDesktop(schemes, of: application)
        let session = try await app.desktop.unregisterForSession(schemes, of: application)
        let files = links.files + session.files
        // What only its file claims for it ends with neither.
        if let refusal, files.isEmpty, claimed.contains(where: { !$0.isInstalled }) { throw refusal }
        try output.print(
            .object([
                "application": .string(application),
                "schemes": .array((all ? claimed.map(\.scheme) : schemes).map { .string($0) }),
                "all": .boolean(all), "files": files.json,
            ]), text: files.lines)
        if claimed.allSatisfy(\.isInstalled) && files.isEmpty { try tellNothing(claimed) }
        if files.isEmpty, claimed.contains(where: { $0.kind == "persistent" && $0.isActivatable ?? false }) {
            try output.warn(
                "FilesElsewhere",
                "the bus can still start \(application), by a file that was not written from here; if 'register' wrote it with "
                    + "another XDG_DATA_HOME, run this there once more")
        }
        try await tellWaiting(app)
        if refusal == nil, claimed.contains(where: { !$0.isInstalled }) { try await tellRunning(app) }
        for file in files where file.change == "kept" {
            try output.warn("Kept", "\(file.path) stays, for somebody has changed it; remove it yourself")
        }
    }

    /// Tells of requests that wait for somebody who is known by nothing any more.
    @DBusActor
    private func tellWaiting(_ app: Application) async throws {
        guard try await !app.bus.isReachable(application) else { return }
        var waiting = 0
        for try await _ in app.requests(state: .waiting, application: application) { waiting += 1 }
        guard waiting > 0 else { return }
        try output.warn(
            "RequestsWait",
            "\(waiting) request\(waiting == 1 ? " waits" : "s wait") for \(application) still; 'ipc-client requests --state waiting "
                + "--application \(application)' lists them, and 'ipc-client requests cancel ID' calls one off")
    }

    /// Tells what an application that runs still claims by itself.
    @DBusActor
    private func tellRunning(_ app: Application) async throws {
        let kept = try await claimed(app).filter { !$0.isInstalled }.map(\.scheme)
        guard !kept.isEmpty else { return }
        try output.warn(
            "StillClaimed",
            "\(application) runs, and claims \(kept.joined(separator: ", ")) by itself until it ends")
    }

    /// Tells that nothing was changed, and why.
    private func tellNothing(_ installed: [Handler]) throws {
        let what = all ? "any scheme" : schemes.map(\.quoted).joined(separator: ", ")
        try output.warn(
            "NotClaimed",
            installed.isEmpty
                ? "\(application) did not claim \(what), and nothing was changed; 'ipc-client handlers' lists who claims what"
                : "nothing was changed: \(application) claims \(installed.map(\.scheme.quoted).joined(separator: ", ")) by a "
                    + "file of its package; take that away")
    }

    /// What of this the application claims now.
    @DBusActor
    private func claimed(_ app: Application) async throws(IPCError) -> [Handler] {
        var claims: [Handler] = []
        if all { claims = try await app.handlers().all() }
        for scheme in schemes { claims += try await app.handlers(of: scheme) }
        return claims.filter { $0.application == application }
    }
}

extension Handler {
    /// Whether a file makes the claim, which only who has put it there can take away.
    fileprivate var isInstalled: Bool { kind == "installed" }
}
