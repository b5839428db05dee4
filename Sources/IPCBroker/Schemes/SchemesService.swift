internal import IPCDBus
internal import IPCDesktop
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Schemes1`: claims, default handlers, policies, and the resolution of URLs.
@DBusActor
final class SchemesService {
    var registry: SchemeRegistry
    var handlers: [ApplicationID: HandlerFacts] = [:]
    let policies: AccessPolicies
    let returning = ReturningHandlers()
    let store: Store
    let clients: BusClients
    private let connection: Connection
    /// Returns a string that identifies a connection uniquely, even across buses.
    let identify: @DBusActor (BusName?) -> String
    let limits: Limits

    /// Finds desktop applications for unclaimed URLs; `nil` if the broker does not use the desktop.
    let desktop: DesktopProgram?
    private var installed: InstalledClaims

    /// Returns why the broker would not start an application now, although the bus could; `nil` if it would start it.
    var refusal: @DBusActor (ApplicationID) -> String? = { _ in nil }
    /// Runs after an application has been registered, by itself or, for a persistent claim, by another program.
    var registered: @DBusActor (ApplicationID, _ isOwner: Bool) -> Void = { _, _ in }

    init(
        store: Store, clients: BusClients, connection: Connection, policies: AccessPolicies, limits: Limits,
        installed: InstalledClaims, desktop: DesktopProgram?, identify: @escaping @DBusActor (BusName?) -> String
    ) {
        (self.store, self.clients, self.connection, self.policies) = (store, clients, connection, policies)
        (self.limits, self.installed, self.desktop, self.identify) = (limits, installed, desktop, identify)
        registry = SchemeRegistry(limits: limits)
    }

    func load() async throws {
        try await policies.load()
        let (claims, defaults) = try await store.commit {
            (try $0.registrations.claims().claims, try $0.registrations.defaults().defaults)
        }
        // Register stored and installed claims in order of age, so that a scheme keeps its handler across restarts.
        var files = installed.load()[...]
        for claim in claims {
            while let file = files.first?.file, files.first?.time ?? 0 <= claim.time {
                _ = try? registry.register(file.application, file.schemes, kind: .installed)
                files.removeFirst()
            }
            _ = try registry.register(claim.application, [claim.scheme], kind: .persistent, allowReserved: true)
            handlers[claim.application] = HandlerFacts(
                window: Int(claim.window), takesDescriptors: claim.takesDescriptors)
        }
        _ = readInstalled()
        for choice in defaults { _ = try registry.setDefault(choice.scheme, choice.application) }
        try await loadLive()
    }

    /// Updates the registry from the installed files, and returns the changes.
    private func readInstalled() -> [SchemeChange] {
        let (claims, gone) = installed.reload()
        var changes = gone.flatMap { registry.unregister($0, $1, kinds: [.installed]) }
        for claim in claims {
            // This fails for a reserved scheme, which a file cannot claim. The installer has checked everything else.
            changes += (try? registry.register(claim.application, claim.schemes, kind: .installed)) ?? []
            if claim.takesDescriptors, handlers[claim.application] == nil {
                handlers[claim.application] = HandlerFacts(takesDescriptors: true)
            }
        }
        return changes
    }

    /// Reads the installed claims again, and announces and returns the handlers that changed.
    func reloadInstalled() -> [SchemeChange] {
        let changes = readInstalled()
        announce(changes)
        return changes
    }

    /// The number of applications that have registered themselves and are running.
    var liveCount: Int { handlers.values.count { $0.isLive } }

    func facts(of application: ApplicationID) -> HandlerFacts { handlers[application] ?? HandlerFacts() }

    /// Removes the live claims of an application that has lost its bus name.
    func ownerLeft(_ application: ApplicationID) {
        handlers[application]?.isLive = false
        let hadLive = registry.schemes(of: application).contains {
            registry.claim(of: application, on: $0)?.kinds.contains(.live) == true
        }
        announce(registry.unregister(application, [], kinds: [.live]))
        guard hadLive else { return }
        DBusActor.task {
            // If the disk is full, the stored claim remains. This is harmless, because its connection never returns.
            _ = try? await self.store.stage { try $0.registrations.removeLiveClaims(of: application) }
        }
    }

    // MARK: Routing

    /// Resolves a URL. Asks the bus which programs it can start, but only if the answer can affect the result.
    func resolve(
        _ url: URLText, pinned: ApplicationID? = nil, queued: Bool = false, candidates: Int = 0
    ) async -> Resolution {
        var known = resolveRunning(url, pinned)
        while returning.areExpected(url.scheme, pinned), !(queued ? known.queueable : known.running) {
            await returning.change()
            known = resolveRunning(url, pinned)
        }
        if candidates == 0, queued || known.running || known.application == nil { return known }
        let activatable = await clients.activatable()
        return URLRouter.resolve(
            url, pinned: pinned, in: registry, candidatesMost: candidates, running: clients.isRunning,
            activatable: { activatable.contains($0.text) })
    }

    /// Resolves a URL as if the bus could not start any program.
    private func resolveRunning(_ url: URLText, _ pinned: ApplicationID?) -> Resolution {
        URLRouter.resolve(
            url, pinned: pinned, in: registry, running: clients.isRunning, activatable: { _ in false })
    }

    // MARK: Methods

    func register(
        _ input: (String, [String], RegisterOptions), _ call: IncomingCall
    ) async throws -> RegisterResult {
        let application = try ApplicationID(input.0)
        let schemes = try input.1.map { try URLScheme($0) }
        let window = UInt64(input.2.window ?? 1)
        guard window > 0 else { throw IPCError(.invalidArguments, "the window must be at least 1") }
        try limits.check(\.windowMost, request: window)
        let (persistent, takesDescriptors) = (input.2.persistent ?? false, input.2.fd ?? false)
        if !persistent { try await checkOwner(application, call) }
        let fresh = schemes.filter { registry.claim(of: application, on: $0)?.kinds.contains(.persistent) != true }
        let changes = try registry.register(
            application, schemes, kind: persistent ? .persistent : .live, allowReserved: input.2.allowReserved ?? false)
        if persistent {
            do {
                try await save(schemes, of: application, window: UInt32(window), takesDescriptors: takesDescriptors)
            } catch {
                if !fresh.isEmpty { _ = registry.unregister(application, fresh, kinds: [.persistent]) }
                throw error
            }
        }
        // A persistent claim does not replace the properties that a running application has declared for itself.
        if !persistent || !clients.isRunning(application) {
            handlers[application] = HandlerFacts(
                window: Int(window), takesDescriptors: takesDescriptors, isLive: !persistent)
        }
        if !persistent { await saveLive(application, of: call.sender) }
        returning.came(application)
        registered(application, clients.knownOwner(of: application) == call.sender)
        try announce(changes, after: call)
        var result = RegisterResult()
        result.conflicts = conflicts(application, schemes)
        return result
    }

    private func save(
        _ schemes: [URLScheme], of application: ApplicationID, window: UInt32, takesDescriptors: Bool
    ) async throws {
        try await store.commit { transaction in
            for scheme in schemes {
                try transaction.registrations.saveClaim(
                    StoredClaim(
                        application: application, scheme: scheme, window: window, takesDescriptors: takesDescriptors,
                        time: transaction.now))
            }
            // Both properties belong to the application, so they are those of its other claims after a restart, too.
            for claim in try transaction.registrations.claims().claims
            where claim.application == application
                && (claim.window, claim.takesDescriptors) != (window, takesDescriptors)
            {
                try transaction.registrations.saveClaim(
                    StoredClaim(
                        application: application, scheme: claim.scheme, window: window,
                        takesDescriptors: takesDescriptors, time: claim.time))
            }
        }
    }

    private func conflicts(_ application: ApplicationID, _ schemes: [URLScheme]) -> [ClaimFacts] {
        registry.conflicts(application, schemes, limit: Int(limits.pageRowsMost)).map { claim in
            var facts = ClaimFacts()
            facts.scheme = claim.scheme.spelling
            facts.application = claim.application.text
            facts.kind = claim.kind.rawValue
            facts.handler = registry.handler(of: claim.scheme)?.application == claim.application
            return facts
        }
    }

    /// The owner of the application's bus name. A call over a direct connection may arrive before the bus announces
    /// that the caller owns the name, so the bus is queried before the call is refused.
    private func owner(of application: ApplicationID, for call: IncomingCall) async throws -> BusName? {
        let owner = try await clients.owner(of: application)
        return owner == call.sender ? owner : try await clients.refreshedOwner(of: application)
    }

    private func checkOwner(_ application: ApplicationID, _ call: IncomingCall) async throws {
        let owner = try await owner(of: application, for: call)
        // The owner may have left during the query.
        if owner == call.sender, clients.isRunning(application) { return }
        let who = owner.map { "it belongs to the connection \($0)" } ?? "no connection owns it"
        throw IPCError(
            .notOwner,
            "only the owner of the bus name “\(application)” can register for it, and \(who); "
                + Advice.ownName.rawValue)
    }

    func unregister(_ input: (String, [String], NoOptions), _ call: IncomingCall) async throws {
        let application = try ApplicationID(input.0)
        let schemes = try input.1.map { try URLScheme($0) }
        let concerned = schemes.isEmpty ? registry.schemes(of: application) : schemes
        let kinds = Set(concerned.compactMap { registry.claim(of: application, on: $0) }.flatMap(\.kinds))
        let owns = try await owner(of: application, for: call) == call.sender
        if !owns, kinds.contains(.live), !kinds.contains(.persistent) {
            throw IPCError(
                .notOwner,
                "“\(application)” is running, and only it can release its claim; stop it to release the claim")
        }
        try await store.commit { transaction in
            for scheme in concerned { try transaction.registrations.removeClaim(of: application, on: scheme) }
        }
        let changes = registry.unregister(application, schemes, kinds: owns ? [.live, .persistent] : [.persistent])
        if owns { await saveLive(application, of: call.sender) }
        try announce(changes, after: call)
    }

    func canOpenURL(_ text: String, _ options: CanOpenURLOptions, _ call: IncomingCall) async throws -> Bool {
        let stated = try options.sourceApplication.map { try ApplicationID($0) }
        let caller = await clients.caller(call.sender, stating: stated)
        var resolution = await resolve(try URLText(text))
        _ = try await desktopHandler(of: try URLText(text), &resolution, for: caller)
        guard resolution.canOpen, let application = resolution.application,
            resolution.running || refusal(application) == nil
        else { return false }
        return policies[application].allows(caller.source)
    }

    func resolveURL(_ text: String, _ call: IncomingCall) async throws -> ResolutionFacts {
        let caller = await clients.caller(call.sender)
        var resolution = await resolve(try URLText(text), candidates: Int(limits.pageRowsMost))
        let desktop = try await desktopHandler(of: try URLText(text), &resolution, for: caller)
        var facts = ResolutionFacts()
        facts.application = desktop?.entry ?? resolution.application?.text ?? ""
        facts.reason = resolution.reason.rawValue
        facts.running = resolution.running
        facts.activatable = resolution.activatable
        facts.queueable = resolution.queueable
        if let absent = resolution.absentDefault, caller.visibility.isWhole {
            facts.absentDefault = absent.text
        }
        facts.candidates = resolution.candidates.map { candidate in
            var facts = ClaimFacts()
            facts.application = candidate.application.text
            facts.kind = candidate.kind.rawValue
            facts.running = candidate.running
            facts.activatable = candidate.activatable
            facts.reason = candidate.reason.rawValue
            return facts
        }
        return facts
    }

    func listHandlers(_ input: (String, PageOptions), _ call: IncomingCall) async throws -> [HandlerRow] {
        let most = try limits.page(input.1.limit)
        let activatable = await clients.activatable()
        guard input.0.isEmpty else {
            return rows(of: try URLScheme(input.0), activatable)
        }
        let after = try input.1.after.flatMap { try $0.isEmpty ? nil : URLScheme($0) }
        var page: [HandlerRow] = []
        for winner in registry.handlers(after: after, limit: most) {
            let rows = rows(of: winner.scheme, activatable)
            if !page.isEmpty, page.count + rows.count > most { break }
            page += rows
        }
        return page
    }

    private func rows(of scheme: URLScheme, _ activatable: Set<String>) -> [HandlerRow] {
        let winner = registry.handler(of: scheme)?.application
        let chosen = registry.defaultApplication(of: scheme)
        let claims = registry.claims(on: scheme)
        return (claims.filter { $0.application == winner } + claims.filter { $0.application != winner }).map { claim in
            var facts = ClaimFacts()
            facts.application = claim.application.text
            facts.kind = claim.kind.rawValue
            facts.handler = claim.application == winner
            facts.isDefault = claim.application == chosen
            facts.running = clients.isRunning(claim.application)
            facts.activatable = activatable.contains(claim.application.text)
            facts.stored = claim.kinds.contains(.persistent)
            facts.fd = self.facts(of: claim.application).takesDescriptors
            return HandlerRow(claim.scheme.spelling, facts)
        }
    }

    /// Refuses a sandboxed caller, which must neither choose handlers for the user (I21) nor list the user's choices.
    private func checkUser(_ call: IncomingCall) async throws {
        guard await clients.caller(call.sender).visibility.isWhole else {
            throw IPCError(
                .accessDenied, "a sandboxed program can neither choose handlers for the user nor list the choices")
        }
    }

    func listDefaults(_ options: PageOptions, _ call: IncomingCall) async throws -> [FactsRow<DefaultFacts>] {
        try await checkUser(call)
        let after = try options.after.flatMap { try $0.isEmpty ? nil : URLScheme($0) }
        return registry.defaults(after: after, limit: try limits.page(options.limit)).map { scheme, application in
            var facts = DefaultFacts()
            facts.application = application.text
            return FactsRow(scheme.canonical, facts)
        }
    }

    func setDefault(_ input: (String, String, NoOptions), _ call: IncomingCall) async throws {
        try await checkUser(call)
        let scheme = try URLScheme(input.0)
        let application = input.1.isEmpty ? nil : try ApplicationID(input.1)
        let former = registry.defaultApplication(of: scheme)
        let change = try registry.setDefault(scheme, application)
        do {
            try await store.commit { try $0.registrations.setDefault(application, for: scheme) }
        } catch {
            _ = try? registry.setDefault(scheme, former)
            throw error
        }
        try announce([change].compactMap(\.self), after: call)
    }

    // MARK: Signals

    private func announce(_ changes: [SchemeChange], after call: IncomingCall) throws {
        for change in changes {
            try call.emitAfterReply(Schemes1.handlerChanged, from: Broker1.path, Self.values(change))
        }
    }

    private func announce(_ changes: [SchemeChange]) {
        for change in changes { try? connection.emit(Schemes1.handlerChanged, from: Broker1.path, Self.values(change)) }
    }

    private static func values(_ change: SchemeChange) -> (String, String, String) {
        (change.scheme.spelling, change.old?.text ?? "", change.new?.text ?? "")
    }

    var exported: ExportedInterface {
        ExportedInterface(
            Schemes1.description,
            methods: [
                Schemes1.register.answered { try await self.register($0, $1) },
                Schemes1.unregister.answered { try await self.unregister($0, $1) },
                Schemes1.canOpenURL.answered { try await self.canOpenURL($0.0, $0.1, $1) },
                Schemes1.resolveURL.answered { try await self.resolveURL($0.0, $1) },
                Schemes1.listHandlers.answered { try await self.listHandlers($0, $1) },
                Schemes1.setDefault.answered { try await self.setDefault($0, $1) },
                Schemes1.listDefaults.answered { try await self.listDefaults($0, $1) },
                Schemes1.getPolicy.answered { input, _ in self.policies.facts(of: try ApplicationID(input.0)) },
                Schemes1.setPolicy.answered { input, call in
                    let application = try ApplicationID(input.0)
                    try await self.checkUser(call)
                    try await self.policies.set(input.1, of: application)
                },
                Schemes1.listPolicies.answered { options, call in
                    try await self.checkUser(call)
                    return try self.policies.list(options)
                },
                Schemes1.reloadClaims.answered { try self.announce(self.readInstalled(), after: $1) },
            ])
    }
}

extension Limits {
    /// The number of rows in a page: the requested number, which must be from 1 to the limit; by default `pageRows`.
    func page(_ asked: UInt32?) throws -> Int {
        guard let asked else { return Int(min(pageRows, pageRowsMost)) }
        guard asked > 0, UInt64(asked) <= pageRowsMost else {
            throw IPCError(.invalidArguments, "“limit” must be from 1 to \(pageRowsMost) rows, not \(asked)")
        }
        return Int(asked)
    }
}
