private import Glibc
package import IPCDBus
package import IPCDesktop
internal import IPCInterface

/// Writes the files that claim schemes for applications, either on the desktop or until the session ends.
@DBusActor
package struct DesktopClaims {
    private let link: BrokerLink
    private let bus: BusServices

    init(_ link: BrokerLink, _ bus: BusServices) { (self.link, self.bus) = (link, bus) }

    func register(
        _ id: ApplicationID, _ schemes: [URLScheme], _ options: DesktopOptions
    ) async throws(IPCError) -> DesktopLinks {
        let opener = if let given = options.opener { given } else { try CommandWords.read("ipc-client").words[0] }
        let command = try options.command.map(CommandWords.read)
        let folders = BaseDirectories.ofProcess
        let result = try await inBackground { () throws(IPCError) in
            try DesktopRegistration(id, in: folders).register(
                schemes, opener: opener, command: command, makesDefault: options.isDefault, isExact: options.isExact)
        }
        try await bus.reload(after: result.changes)
        let isActivatable = result.isActivatable ? await bus.isActivatable(id.text) : nil
        return DesktopLinks(result.changes, result, isActivatable: isActivatable)
    }

    func unregister(_ id: ApplicationID, _ schemes: [URLScheme]) async throws(IPCError) -> DesktopLinks {
        let folders = BaseDirectories.ofProcess
        let result = try await inBackground { () throws(IPCError) in
            try DesktopRegistration(id, in: folders).unregister(schemes.isEmpty ? nil : schemes)
        }
        try await bus.reload(after: result.changes)
        return DesktopLinks(result.changes, result)
    }

    /// Claims schemes until the session ends, with files under `XDG_RUNTIME_DIR`.
    /// - Throws: `reservedScheme`, and the errors of ``Application/registerOnDesktop(_:for:options:)``.
    package func registerForSession(
        _ schemes: [URLScheme], for id: ApplicationID, command: String?, takesDescriptors: Bool
    ) async throws(IPCError) -> DesktopLinks {
        if let reserved = schemes.first(where: \.isReserved) {
            throw IPCError(
                .reservedScheme,
                "the scheme \(reserved) is reserved for the system; it can be claimed only with --persistent")
        }
        let command = try command.map(CommandWords.read)
        // If there is no broker, this throws before anything is written.
        try await reloadClaims()
        let folders = BaseDirectories.ofProcess
        let changes = try await inBackground { () throws(IPCError) in
            try TransientRegistration(id, in: folders).register(
                schemes, command: command, takesDescriptors: takesDescriptors)
        }
        try await bus.reload(after: changes)
        try await reloadClaims()
        return DesktopLinks(changes, isActivatable: command == nil ? nil : await bus.isActivatable(id.text))
    }

    /// Removes the files of ``registerForSession(_:for:command:takesDescriptors:)``.
    package func unregisterForSession(
        _ schemes: [URLScheme], of id: ApplicationID
    ) async throws(IPCError) -> DesktopLinks {
        let folders = BaseDirectories.ofProcess
        guard folders.runtime != nil else { return DesktopLinks([]) }
        let changes = try await inBackground { () throws(IPCError) in
            try TransientRegistration(id, in: folders).unregister(schemes.isEmpty ? nil : schemes)
        }
        try await bus.reload(after: changes)
        if !changes.isEmpty { try await reloadClaims() }
        return DesktopLinks(changes)
    }

    /// Makes the broker reload the installed claims.
    /// - Parameter startsBroker: whether to start a broker if none is running. It loads the claims when it starts.
    package func reloadClaims(startsBroker: Bool = true) async throws(IPCError) {
        guard startsBroker else {
            // A failure does not matter: if the broker is not running, it loads the claims when it starts.
            _ = try? await link.connection.call(
                Schemes1.reloadClaims, on: Broker1.busName, at: Broker1.path, NoOptions(), startsService: false)
            return
        }
        try await link.call(Schemes1.reloadClaims, NoOptions(), repeatable: true)
    }
}

extension BaseDirectories {
    /// The folders in the environment of this process or, in a test with a private session, in that of the test. Read
    /// them in the caller's task, because background threads do not see the test.
    package static var ofProcess: BaseDirectories {
        BaseDirectories { name in
            if let test = SessionEnvironment.ofTest { return test[name] }
            return getenv(name).flatMap { String(validatingCString: $0) }
        }
    }
}

extension CommandWords {
    /// Parses a command line, and finds its program in this process's `PATH` or relative to its working directory.
    /// - Throws: `invalidArguments` if the command cannot be run.
    package static func read(_ line: String) throws(IPCError) -> CommandWords {
        try checked { () throws(Invalid) in try CommandWords(line).located(in: path, from: folder) }
    }

    private static var path: String { getenv("PATH").flatMap { String(validatingCString: $0) } ?? "" }

    /// The working directory; the root directory if the working directory was removed.
    private static var folder: String {
        guard let name = getcwd(nil, 0) else { return "/" }
        defer { free(name) }
        return String(validatingCString: name) ?? "/"
    }
}
