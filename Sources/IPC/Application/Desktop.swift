private import Glibc
internal import IPCDBus
package import IPCDesktop
internal import IPCInterface

extension Application {
    /// Makes the desktop bring URLs with these schemes to an application, through the broker, beside a stored claim
    /// (``register(_:for:persistent:window:allowReserved:takesDescriptors:)`` with `persistent`), and says how the bus
    /// starts it.
    ///
    /// Writes one desktop entry below `XDG_DATA_HOME`, with ``DesktopOptions/command`` a D-Bus service file, and the
    /// user's default where nobody else handles a scheme. A scheme that another program handles on the desktop is left
    /// to it. What stood there before is kept for ``unregisterFromDesktop(_:of:)``, which brings exactly that back.
    ///
    /// - Parameters:
    ///   - schemes: as they are to be spelled.
    ///   - application: who gets them; this application if `nil`.
    ///   - options: how the bus starts it, and whether others are displaced.
    /// - Returns: the files, and what was left to others.
    /// - Throws: `invalidArguments` for a command that cannot be run, without a home, or without an opener;
    ///   `accessDenied`, `noSpace` or `inputOutput` for a file that cannot be written.
    @discardableResult
    public func registerOnDesktop(
        _ schemes: [String], for application: String? = nil, options: DesktopOptions = DesktopOptions()
    ) async throws(IPCError) -> DesktopLinks {
        let id = try applicationID(application)
        var request = DesktopRegistration.Request(schemes: try urlSchemes(schemes), opener: options.opener ?? "")
        if options.opener == nil { request.opener = try CommandWords.named("ipc-client").words[0] }
        request.command = try options.command.map { (line) throws(IPCError) in try CommandWords.read(line) }
        request.makesDefault = options.isDefault
        let asked = request
        let result = try await Self.offThread { () throws(IPCError) in
            try DesktopRegistration(id, in: .ofProcess).register(asked)
        }
        try await reloadBus(after: result.changes)
        let isActivatable = result.isActivatable ? await self.isActivatable(id.text) : nil
        return DesktopLinks(result.changes, result, isActivatable: isActivatable)
    }

    /// Takes back what ``registerOnDesktop(_:for:options:)`` has written.
    /// - Parameters:
    ///   - schemes: empty means all of the application.
    ///   - application: whose; this application's if `nil`.
    @discardableResult
    public func unregisterFromDesktop(
        _ schemes: [String] = [], of application: String? = nil
    ) async throws(IPCError) -> DesktopLinks {
        let (id, schemes) = (try applicationID(application), try urlSchemes(schemes))
        let result = try await Self.offThread { () throws(IPCError) in
            try DesktopRegistration(id, in: .ofProcess).unregister(schemes.isEmpty ? nil : schemes)
        }
        try await reloadBus(after: result.changes)
        return DesktopLinks(result.changes, result)
    }

    /// Claims schemes for an application until the end of the session, by files below `XDG_RUNTIME_DIR`.
    /// - Throws: `reservedScheme`; those of ``registerOnDesktop(_:for:options:)``.
    package func registerForSession(
        _ schemes: [String], for application: String, command: String?, takesDescriptors: Bool
    ) async throws(IPCError) -> DesktopLinks {
        let (id, schemes) = (try applicationID(application), try urlSchemes(schemes))
        if let reserved = schemes.first(where: \.isReserved) {
            throw IPCError(
                .reservedScheme,
                "the scheme \(reserved) belongs to the system; it can be claimed with --persistent only")
        }
        let command = try command.map { (line) throws(IPCError) in try CommandWords.read(line) }
        // Without a broker nothing is written.
        try await reloadClaims()
        let changes = try await Self.offThread { () throws(IPCError) in
            try TransientRegistration(id, in: .ofProcess).register(
                schemes, command: command, takesDescriptors: takesDescriptors)
        }
        try await reloadBus(after: changes)
        try await reloadClaims()
        return DesktopLinks(changes, isActivatable: command == nil ? nil : await isActivatable(application))
    }

    /// Takes back what ``registerForSession(_:for:command:takesDescriptors:)`` has written; nothing without a session.
    package func unregisterForSession(
        _ schemes: [String], of application: String
    ) async throws(IPCError) -> DesktopLinks {
        let (id, schemes) = (try applicationID(application), try urlSchemes(schemes))
        guard BaseDirectories.ofProcess.runtime != nil else { return DesktopLinks([]) }
        let changes = try await Self.offThread { () throws(IPCError) in
            try TransientRegistration(id, in: .ofProcess).unregister(schemes.isEmpty ? nil : schemes)
        }
        try await reloadBus(after: changes)
        if !changes.isEmpty { try await reloadClaims() }
        return DesktopLinks(changes)
    }

    /// Makes the broker read the installed claims again.
    /// - Parameter startsBroker: whether one that does not run, and so will read them anyway, is started.
    package func reloadClaims(startsBroker: Bool = true) async throws(IPCError) {
        guard startsBroker else {
            // One that does not run reads them when it starts; one that ends now is not there either.
            _ = try? await link.connection.call(
                Schemes1.reloadClaims, on: Broker1.busName, at: Broker1.path, NoOptions(), startsService: false)
            return
        }
        try await link.call(Schemes1.reloadClaims, NoOptions(), repeatable: true)
    }

    /// Makes the bus read its service files again, where one of them is another one now.
    package func reloadBus(after changes: [FileChange]) async throws(IPCError) {
        guard changes.contains(where: { $0.path.contains("/\(ServiceFile.folder)/") }) else { return }
        do throws(CallError) {
            try await link.connection.call(MessageBus.reloadConfig, on: .bus, at: MessageBus.path, ())
        } catch { throw IPCError(error) }
    }

    /// Whether the bus can start the owner of a name.
    package func isActivatable(_ name: String) async -> Bool {
        ((try? await link.connection.listActivatableNames()) ?? []).contains(name)
    }

    /// Whether somebody owns a bus name, or the bus can start somebody who will.
    package func isReachable(_ name: String) async throws(IPCError) -> Bool {
        do throws(CallError) {
            if try await link.connection.listNames().contains(name) { return true }
            return try await link.connection.listActivatableNames().contains(name)
        } catch { throw IPCError(error) }
    }

    private func applicationID(_ application: String?) throws(IPCError) -> ApplicationID {
        try checked { () throws(ApplicationID.Invalid) in try ApplicationID(application ?? id) }
    }

    private func urlSchemes(_ schemes: [String]) throws(IPCError) -> [URLScheme] {
        var checkedSchemes: [URLScheme] = []
        for scheme in schemes {
            checkedSchemes.append(try checked { () throws(URLScheme.Invalid) in try URLScheme(scheme) })
        }
        return checkedSchemes
    }

    /// Files and other programs may take their time.
    private static func offThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(IPCError) -> Value
    ) async throws(IPCError) -> Value {
        try await Background.run { Result { () throws(IPCError) in try body() } }.get()
    }
}

extension BaseDirectories {
    /// As the environment of this process says.
    package static var ofProcess: BaseDirectories {
        BaseDirectories { getenv($0).flatMap { String(validatingCString: $0) } }
    }
}

extension CommandWords {
    /// A command line whose program is found in this process's `PATH`, or from its working directory.
    /// - Throws: `invalidArguments` for a command that cannot be run.
    package static func read(_ line: String) throws(IPCError) -> CommandWords {
        try checked { () throws(Invalid) in try CommandWords(line).located(in: path, from: folder) }
    }

    /// A program in this process's `PATH`.
    fileprivate static func named(_ program: String) throws(IPCError) -> CommandWords {
        try checked { () throws(Invalid) in try CommandWords(words: [program]).located(in: path, from: folder) }
    }

    private static var path: String { getenv("PATH").flatMap { String(validatingCString: $0) } ?? "" }

    /// The working directory; the root where there is none any more.
    private static var folder: String {
        guard let name = getcwd(nil, 0) else { return "/" }
        defer { free(name) }
        return String(validatingCString: name) ?? "/"
    }
}
