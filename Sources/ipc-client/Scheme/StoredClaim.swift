import IPC
import IPCDesktop
import IPCModel
import IPCTools

/// A claim that outlives every process, with the files through which the desktop and the bus reach its application.
struct StoredClaim: Sendable {
    let application: ApplicationID
    let schemes: [URLScheme]
    /// The command with which the bus starts the application; nil to keep the command of an earlier registration.
    var command: CommandWords?
    /// Whether the application becomes the user's choice, and replaces another program on the desktop.
    var isDefault = false
    var allowsReserved = false
    var takesDescriptors = false
    var writesFiles = true

    /// What storing a claim has led to.
    struct Stored: Sendable {
        /// The changed files; nil if no files were to be written.
        let links: DesktopLinks?
        /// Other applications' claims to the same schemes.
        let conflicts: [Handler]
    }

    /// Stores the claim, and writes the files.
    @DBusActor
    func store(_ app: Application) async throws -> Stored {
        let conflicts = try await app.register(
            schemes, for: application, persistent: true, allowReserved: allowsReserved,
            takesDescriptors: takesDescriptors)
        if isDefault { for scheme in schemes { try await app.setDefault(application, for: scheme) } }
        return Stored(links: writesFiles ? try await writeFiles(app) : nil, conflicts: conflicts)
    }

    @DBusActor
    private func writeFiles(_ app: Application) async throws -> DesktopLinks {
        var options = DesktopOptions()
        options.command = command?.text
        options.isDefault = isDefault
        options.opener = try Programs.client()
        do throws(IPCError) {
            return try await app.registerOnDesktop(schemes, for: application, options: options)
        } catch {
            throw ToolFailure(error).adding("the claim is stored; run the command again, or add --no-desktop")
        }
    }

    /// Removes an application's claims and their files; an empty list means all schemes.
    /// - Returns: the changed files, and why a claim stays; nil if all claims are gone.
    @DBusActor
    static func remove(
        _ app: Application, _ schemes: [URLScheme], of id: ApplicationID
    ) async throws -> (files: [DesktopLinks.File], refusal: IPCError?) {
        var refusal: IPCError?
        do throws(IPCError) { try await app.unregister(schemes, of: id) } catch {
            // `notOwner`: only the running application can release claims that it made itself. The claims that were
            // registered for the session can still be removed.
            guard error.code == .notOwner else { throw error }
            refusal = error
        }
        let links = try await app.unregisterFromDesktop(schemes, of: id)
        let session = try await app.desktop.unregisterForSession(schemes, of: id)
        return (links.files + session.files, refusal)
    }
}

extension OutputOptions {
    /// Warns if other programs get URLs of a claim's schemes, or if the bus cannot start the application.
    /// - Parameter command: the command that stored the claim.
    func warn(of stored: StoredClaim.Stored, for application: ApplicationID, by command: String) throws(ToolFailure) {
        if !json {
            for conflict in stored.conflicts {
                try warn("Conflict", "stored; " + conflict.sentence(for: application.text))
            }
        }
        for (scheme, entry) in stored.links?.elsewhere.sorted(by: { $0.key < $1.key }) ?? [] {
            try warn(
                "HandledElsewhere",
                "on the desktop, \(entry) still handles \(scheme); 'ipc-client \(command)' with --default changes that")
        }
        if stored.links?.isActivatable == false {
            try warn(
                "NotActivatable",
                "the bus does not look in the folder of the service file of \(application); 'ipc-client doctor' shows "
                    + "how to fix this")
        }
    }

    /// Warns about requests that stay in the queue of an application without a claim.
    @DBusActor
    func warnOfWaiting(_ app: Application, for application: ApplicationID) async throws {
        guard try await !app.bus.isReachable(application.text) else { return }
        let waiting = try await app.requests(state: .waiting, application: application).all().count
        guard waiting > 0 else { return }
        try warn(
            "RequestsWait",
            "\(waiting) request\(waiting == 1 ? " still waits" : "s still wait") for \(application); 'ipc-client "
                + "request list --state waiting --application \(application)' lists them, and 'ipc-client request cancel "
                + "ID' cancels one")
    }

    func warnOfKept(_ files: [DesktopLinks.File]) throws(ToolFailure) {
        for file in files where file.change == "kept" {
            try warn("Kept", "\(file.path) stays, because it was changed after it was written; remove it yourself")
        }
    }
}

extension [DesktopLinks.File] {
    /// A line for each file, with what was done to it and its path; nil if there are no files.
    var lines: String? { isEmpty ? nil : map { "\($0.change) \($0.path)" }.joined(separator: "\n") }

    var json: JSONValue {
        .array(map { .object(["path": .string($0.path), "change": .string($0.change)]) })
    }
}
