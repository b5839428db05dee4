internal import IPCDBus
internal import IPCInterface

/// The broker's record of which applications claim which schemes, and its access policies.
@DBusActor
struct SchemeClaims {
    private let link: BrokerLink

    init(_ link: BrokerLink) { self.link = link }

    func resolve(_ url: URLText) async throws(IPCError) -> URLResolution {
        URLResolution(try await link.call(Schemes1.resolveURL, (url.text, NoOptions()), repeatable: true))
    }

    /// - Parameter row: the scheme in the last row of the previous page; `nil` for the first page.
    func handlers(
        of scheme: URLScheme?, after row: String? = nil, limit: UInt32? = nil, waitsForBus: Bool = true
    ) async throws(IPCError) -> [Handler] {
        var options = PageOptions()
        (options.after, options.limit) = (row, limit)
        let rows = try await link.call(
            Schemes1.listHandlers, (scheme?.spelling ?? "", options), repeatable: true, waitsForBus: waitsForBus)
        return rows.map { Handler($0.facts, scheme: $0.scheme) }
    }

    func setDefault(_ application: ApplicationID?, for scheme: URLScheme) async throws(IPCError) {
        let input = (scheme.spelling, application?.text ?? "", NoOptions())
        try await link.call(Schemes1.setDefault, input, repeatable: true)
    }

    /// - Returns: the claims of other applications.
    func register(
        _ schemes: [URLScheme], for application: ApplicationID, _ options: RegisterOptions
    ) async throws(IPCError) -> [Handler] {
        let input = (application.text, schemes.map(\.spelling), options)
        return try await link.call(Schemes1.register, input, repeatable: true).conflicts?.map { Handler($0) } ?? []
    }

    func unregister(
        _ schemes: [URLScheme], of application: ApplicationID, waitsForBus: Bool = true
    ) async throws(IPCError) {
        let input = (application.text, schemes.map(\.spelling), NoOptions())
        try await link.call(Schemes1.unregister, input, repeatable: true, waitsForBus: waitsForBus)
    }

    /// The rule for applications that no other rule names.
    private enum PolicyWord: String {
        case allow, deny
    }

    func policy(of application: ApplicationID) async throws(IPCError) -> AccessPolicy {
        let facts = try await link.call(Schemes1.getPolicy, (application.text, NoOptions()), repeatable: true)
        return AccessPolicy(
            allowsOthers: try known(PolicyWord(rawValue: facts.others ?? "allow"), "policy", facts.others) == .allow,
            allowed: Set(facts.allow ?? []), refused: Set(facts.deny ?? []))
    }

    func setPolicy(_ policy: AccessPolicy, of application: ApplicationID) async throws(IPCError) {
        for source in policy.allowed.union(policy.refused) { _ = try ApplicationID(source) }
        var options = PolicyOptions()
        options.others = (policy.allowsOthers ? PolicyWord.allow : .deny).rawValue
        if !policy.allowed.isEmpty { options.allow = policy.allowed.sorted() }
        if !policy.refused.isEmpty { options.deny = policy.refused.sorted() }
        try await link.call(Schemes1.setPolicy, (application.text, options, NoOptions()), repeatable: true)
    }
}

extension RegisterOptions {
    init(persistent: Bool = false, window: UInt32, allowReserved: Bool, fd: Bool?) {
        self.init()
        if persistent { self.persistent = true }
        if window != 1 { self.window = window }
        if allowReserved { self.allowReserved = true }
        self.fd = fd
    }
}
