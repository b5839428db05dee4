internal import IPCDBus
internal import IPCDesktop
internal import IPCInterface
internal import IPCModel
internal import IPCStore

/// `org.swiftipc.Schemes1`: claims, defaults, and who would get a URL.
@DBusActor
final class SchemesService {
    var registry: SchemeRegistry
    /// What handlers said of themselves.
    var handlers: [ApplicationID: HandlerFacts] = [:]
    let policies: AccessPolicies
    let returning = ReturningHandlers()
    let store: Store
    let clients: BusClients
    private let connection: Connection
    /// What tells a connection of this bus from one of every other.
    let identify: @DBusActor (BusName?) -> String
    let limits: Limits

    /// Who knows the handlers of the desktop; nil where URLs that nobody claims go nowhere.
    var desktop: DesktopProgram?

    /// Why an application is not started now, although the bus could; nil where it would be.
    var refusal: @DBusActor (ApplicationID) -> String? = { _ in nil }
    /// The claims that files make.
    var installed = Installed()
    /// Somebody registered for an application: its owner or, persistently, another.
    var registered: @DBusActor (ApplicationID, _ isOwner: Bool) -> Void = { _, _ in }

    init(
        store: Store, clients: BusClients, connection: Connection, policies: AccessPolicies, limits: Limits,
        identify: @escaping @DBusActor (BusName?) -> String
    ) {
        self.store = store
        self.identify = identify
        self.policies = policies
        self.clients = clients
        self.connection = connection
        self.limits = limits
        registry = SchemeRegistry(limits: limits)
    }

    /// Takes in what is stored and what is installed; in the order of age.
    func load(_ installed: @escaping @DBusActor () -> [InstalledClaim]) async throws {
        let (claims, defaults) = try await store.commit {
            (try $0.registrations.claims().claims, try $0.registrations.defaults().defaults)
        }
        // Who handled a scheme before a restart handles it after that: claims of both kinds in the order of age.
        var files = installed()[...]
        for claim in claims {
            while let file = files.first?.file, files.first?.time ?? 0 <= claim.time {
                _ = try? registry.register(file.application, file.schemes, kind: .installed)
                files.removeFirst()
            }
            _ = try registry.register(claim.application, [claim.scheme], kind: .persistent, allowReserved: true)
            handlers[claim.application] = HandlerFacts(
                window: Int(claim.window), takesDescriptors: claim.takesDescriptors)
        }
        self.installed.read = installed
        _ = readInstalled()
        for choice in defaults { _ = try registry.setDefault(choice.scheme, choice.application) }
        try await loadLive()
    }

    func facts(of application: ApplicationID) -> HandlerFacts { handlers[application] ?? HandlerFacts() }

    /// The owner of the bus name is gone, and its live claims with it.
    func ownerLeft(_ application: ApplicationID) {
        handlers[application]?.isLive = false
        let hadLive = registry.schemes(of: application).contains {
            registry.claim(of: application, on: $0)?.kinds.contains(.live) == true
        }
        announce(registry.unregister(application, [], kinds: [.live]))
        guard hadLive else { return }
        DBusActor.task {
            // What is left behind on a full disk belongs to a connection that never comes again.
            _ = try? await self.store.stage { try $0.registrations.removeLiveClaims(of: application) }
        }
    }

    // MARK: Routing

    /// Where a URL goes; asks the bus what it could start only if that matters.
    func resolve(
        _ url: URLText, pinned: ApplicationID? = nil, queued: Bool = false, candidates: Int = 0
    ) async -> Resolution {
        while isAwaited(url, pinned, queued: queued) { await returning.change() }
        let known = knownResolution(url, pinned: pinned, queued: queued)
        if let known, candidates == 0 { return known }
        let activatable = await clients.activatable()
        return URLRouter.resolve(
            url, pinned: pinned, in: registry, candidatesMost: candidates, running: clients.isRunning,
            activatable: { activatable.contains($0.text) })
    }

    /// Whether the one who would get a URL is not there and may come back.
    private func isAwaited(_ url: URLText, _ pinned: ApplicationID?, queued: Bool) -> Bool {
        guard returning.areExpected(url.scheme, pinned) else { return false }
        let resolution = URLRouter.resolve(
            url, pinned: pinned, in: registry, running: clients.isRunning, activatable: { _ in false })
        return !(queued ? resolution.queueable : resolution.running)
    }

    /// Where a URL goes, if nothing needs to be asked: the handler runs or the request can wait for it, or there is none.
    func knownResolution(_ url: URLText, pinned: ApplicationID?, queued: Bool = false) -> Resolution? {
        guard !isAwaited(url, pinned, queued: queued) else { return nil }
        let resolution = URLRouter.resolve(
            url, pinned: pinned, in: registry, running: clients.isRunning, activatable: { _ in false })
        return queued || resolution.running || resolution.application == nil ? resolution : nil
    }

    // MARK: Members

    func register(
        _ input: (String, [String], RegisterOptions), _ call: IncomingCall
    ) async throws -> RegisterResult {
        let application = try ApplicationID(input.0)
        let schemes = try input.1.map { try URLScheme($0) }
        let window = UInt64(input.2.window ?? 1)
        guard window > 0 else { throw IPCError(.invalidArguments, "the window 0 would let no request through") }
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
        // A stored claim says how the application is started; one that runs knows better.
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

    /// The owner of the application's bus name. A call over a direct connection may arrive before the bus announces that its
    /// caller has got the name, so the bus is asked before a refusal.
    private func owner(of application: ApplicationID, for call: IncomingCall) async throws -> BusName? {
        let owner = try await clients.owner(of: application)
        return owner == call.sender ? owner : try await clients.refreshedOwner(of: application)
    }

    private func checkOwner(_ application: ApplicationID, _ call: IncomingCall) async throws {
        let owner = try await owner(of: application, for: call)
        // The owner may have left while it was asked for.
        if owner == call.sender, clients.isRunning(application) { return }
        let who = owner.map { "it belongs to the connection \($0)" } ?? "nobody owns it"
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
                "only “\(application)” itself, which runs, gives its claim up, at the latest when it ends")
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
        var resolution = await resolve(try URLText(text))
        if let entry = try await desktopHandler(of: try URLText(text), resolution, for: call.sender) {
            resolution = self.resolution(resolution, given: entry)
        }
        guard resolution.canOpen, let application = resolution.application,
            resolution.running || refusal(application) == nil
        else { return false }
        return policies[application].allows(await clients.source(stated: stated, by: call.sender))
    }

    func resolveURL(_ text: String, _ call: IncomingCall) async throws -> ResolutionFacts {
        var resolution = await resolve(try URLText(text), candidates: Int(limits.pageRowsMost))
        let desktop = try await desktopHandler(of: try URLText(text), resolution, for: call.sender)
        if let desktop { resolution = self.resolution(resolution, given: desktop) }
        var facts = ResolutionFacts()
        facts.application = desktop?.entry ?? resolution.application?.text ?? ""
        facts.reason = resolution.reason.rawValue
        facts.running = resolution.running
        facts.activatable = resolution.activatable
        facts.queueable = resolution.queueable
        if let absent = resolution.absentDefault, await clients.visibility(of: call.sender).isWhole {
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
            return HandlerRow(scheme: claim.scheme.spelling, facts: facts)
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

    func announce(_ changes: [SchemeChange], after call: IncomingCall) throws {
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
                Schemes1.getPolicy.answered { try self.getPolicy($0.0, $1) },
                Schemes1.setPolicy.answered { try await self.setPolicy($0.0, $0.1, $1) },
                Schemes1.reloadClaims.answered { try self.reloadClaims($1) },
            ])
    }
}

extension Limits {
    /// The rows of a page: what the caller asks for, at least 1 and at most the limit, or else the usual number.
    func page(_ asked: UInt32?) throws -> Int {
        guard let asked else { return Int(min(pageRows, pageRowsMost)) }
        guard asked > 0, UInt64(asked) <= pageRowsMost else {
            throw IPCError(.invalidArguments, "the limit of a page is 1 to \(pageRowsMost) rows, not \(asked)")
        }
        return Int(asked)
    }
}
