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
    /// Whether what an earlier registration had in addition goes: its command, its default on the desktop, its files.
    var isExact = false

    /// What storing a claim has led to.
    struct Stored: Sendable {
        /// The changed files; nil if no files were to be changed.
        let links: DesktopLinks?
        /// Other applications' claims to the same schemes.
        var conflicts: [Handler]
        /// The schemes that the desktop opens with another program, each with the path of that program's desktop entry.
        var elsewhere: [URLScheme: String]

        init(links: DesktopLinks?, conflicts: [Handler]) {
            (self.links, self.conflicts, elsewhere) = (links, conflicts, links?.elsewhere ?? [:])
        }
    }

    /// Stores the claim, and writes the files.
    @DBusActor
    func store(_ app: Application) async throws -> Stored {
        var conflicts = try await app.register(
            schemes, for: application, persistent: true, allowReserved: allowsReserved,
            takesDescriptors: takesDescriptors)
        if isDefault {
            for scheme in schemes { try await app.setDefault(application, for: scheme) }
            // The choice has decided which application gets the URLs.
            conflicts = try await others(app)
        }
        var links: DesktopLinks?
        if writesFiles {
            links = try await writeFiles(app)
        } else if isExact {
            links = try await app.unregisterFromDesktop(schemes, of: application)
        }
        return Stored(links: links, conflicts: conflicts)
    }

    /// The claims of other applications to the same schemes.
    @DBusActor
    private func others(_ app: Application) async throws(IPCError) -> [Handler] {
        var others: [Handler] = []
        for scheme in schemes {
            others += try await app.handlers(of: scheme).filter { $0.application != application.text }
        }
        return others
    }

    @DBusActor
    private func writeFiles(_ app: Application) async throws -> DesktopLinks {
        var options = DesktopOptions()
        options.command = command?.text
        options.isDefault = isDefault
        options.isExact = isExact
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

extension StoredClaim.Stored {
    struct Warning: Sendable, Hashable {
        let name: String
        let message: String
    }

    /// Warnings if other programs claim the schemes or get their URLs, or if the bus cannot start the application.
    /// - Parameter command: the command that stored the claim.
    func warnings(of application: ApplicationID, by command: String) -> [Warning] {
        var warnings = conflicts.map {
            Warning(name: "Conflict", message: "stored; " + $0.sentence(for: application.text))
        }
        for (scheme, entry) in elsewhere.sorted(by: { $0.key < $1.key }) {
            warnings.append(
                Warning(
                    name: "HandledElsewhere",
                    message: "on the desktop, \(entry) still handles \(scheme); 'ipc-client \(command)' with --default "
                        + "changes that"))
        }
        if links?.isActivatable == false {
            warnings.append(
                Warning(
                    name: "NotActivatable",
                    message: "the bus does not look in the folder of the service file of \(application); 'ipc-client "
                        + "doctor' shows how to fix this"))
        }
        return warnings
    }

    /// Leaves out the programs of other claims, which the user has put in this order.
    mutating func omit(_ claims: [SchemeSettings.Claim]) {
        let ids = { (scheme: URLScheme) in Set(claims.filter { $0.scheme == scheme }.map(\.stored.application.text)) }
        conflicts.removeAll { ids($0.scheme).contains($0.application) }
        let entries = InstalledEntries(.ofProcess).entries.values
        elsewhere = elsewhere.filter { scheme, path in
            !entries.contains { $0.path == path && ids(scheme).contains($0.application ?? "") }
        }
    }
}

extension OutputOptions {
    /// - Parameter command: the command that stored the claim.
    func warn(of stored: StoredClaim.Stored, for application: ApplicationID, by command: String) throws(ToolFailure) {
        // With --json, the command's own output has the conflicts.
        for warning in stored.warnings(of: application, by: command) where !json || warning.name != "Conflict" {
            try warn(warning)
        }
    }

    func warn(_ warning: StoredClaim.Stored.Warning) throws(ToolFailure) { try warn(warning.name, warning.message) }

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
        for warning in files.kept { try warn(warning) }
    }
}

extension [DesktopLinks.File] {
    /// Warnings about the files that were to be removed, but stay.
    var kept: [StoredClaim.Stored.Warning] {
        filter { $0.change == "kept" }.map {
            StoredClaim.Stored.Warning(
                name: "Kept",
                message: "\($0.path) stays, because it was changed after it was written; remove it yourself")
        }
    }

    /// A line for each file, with what was done to it and its path; nil if there are no files.
    var lines: String? { isEmpty ? nil : map { "\($0.change) \($0.path)" }.joined(separator: "\n") }

    var json: JSONValue {
        .array(map { .object(["path": .string($0.path), "change": .string($0.change)]) })
    }
}

extension ApplicationID {
    /// Reads the id of an application that the user registers, which is none of the commands of `handle`.
    init(registering text: String) throws(IPCError) {
        try self.init(text)
        guard !isOfCommand else {
            throw IPCError(
                .invalidName,
                "the application id \(text) belongs to the commands of 'ipc-client handle'; choose another id, or run "
                    + "'ipc-client handle SCHEME --exec CMD'")
        }
    }
}
