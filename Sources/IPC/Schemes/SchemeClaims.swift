internal import IPCDBus
internal import IPCInterface

/// The broker's record of which applications claim which schemes, and its access policies.
@DBusActor
struct SchemeClaims {
    private let link: BrokerLink

    init(_ link: BrokerLink) { self.link = link }

    func resolve(_ url: URLText) async throws(IPCError) -> URLResolution {
        let facts = try await link.call(Schemes1.resolveURL, (url.text, NoOptions()), repeatable: true)
        return URLResolution(facts, of: url.scheme)
    }

    /// - Parameter row: the scheme in the last row of the previous page; `nil` for the first page.
    func handlers(
        of scheme: URLScheme?, after row: String? = nil, limit: UInt32? = nil, waitsForBus: Bool = true
    ) async throws(IPCError) -> [Handler] {
        var options = PageOptions()
        (options.after, options.limit) = (row, limit)
        let rows = try await link.call(
            Schemes1.listHandlers, (scheme?.spelling ?? "", options), repeatable: true, waitsForBus: waitsForBus)
        return try rows.map { (row) throws(IPCError) in
            Handler(row.facts, scheme: try known(URLScheme.self, row.name))
        }
    }

    /// - Parameter row: the scheme in the last row of the previous page; `nil` for the first page.
    func choices(after row: URLScheme? = nil) async throws(IPCError) -> [SchemeChoice] {
        var options = PageOptions()
        options.after = row?.canonical
        return try await link.call(Schemes1.listDefaults, options, repeatable: true).map { (row) throws(IPCError) in
            SchemeChoice(
                scheme: try known(URLScheme.self, row.name),
                application: try known(ApplicationID.self, row.facts.application))
        }
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
        let conflicts = try await link.call(Schemes1.register, input, repeatable: true).conflicts ?? []
        return try conflicts.map { (facts) throws(IPCError) in
            Handler(facts, scheme: try known(URLScheme.self, facts.scheme))
        }
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
        try policy(try await link.call(Schemes1.getPolicy, (application.text, NoOptions()), repeatable: true))
    }

    /// - Parameter row: the application in the last row of the previous page; `nil` for the first page.
    func policies(after row: ApplicationID? = nil) async throws(IPCError) -> [StoredPolicy] {
        var options = PageOptions()
        options.after = row?.text
        return try await link.call(Schemes1.listPolicies, options, repeatable: true).map { (row) throws(IPCError) in
            StoredPolicy(application: try known(ApplicationID.self, row.name), policy: try policy(row.facts))
        }
    }

    private func policy(_ facts: PolicyFacts) throws(IPCError) -> AccessPolicy {
        AccessPolicy(
            allowsOthers: try known(PolicyWord(rawValue: facts.others ?? "allow"), "policy", facts.others) == .allow,
            allowed: try ids(facts.allow), refused: try ids(facts.deny))
    }

    private func ids(_ names: [String]?) throws(IPCError) -> Set<ApplicationID> {
        Set(try (names ?? []).map { (name) throws(IPCError) in try known(ApplicationID.self, name) })
    }

    func setPolicy(_ policy: AccessPolicy, of application: ApplicationID) async throws(IPCError) {
        var options = PolicyOptions()
        options.others = (policy.allowsOthers ? PolicyWord.allow : .deny).rawValue
        if !policy.allowed.isEmpty { options.allow = policy.allowed.sorted().map(\.text) }
        if !policy.refused.isEmpty { options.deny = policy.refused.sorted().map(\.text) }
        try await link.call(Schemes1.setPolicy, (application.text, options, NoOptions()), repeatable: true)
    }
}

/// The application that the user chose for a scheme.
package struct SchemeChoice: Sendable, Hashable {
    package let scheme: URLScheme
    package let application: ApplicationID
}

/// The policy that is stored for an application.
package struct StoredPolicy: Sendable, Hashable {
    package let application: ApplicationID
    package let policy: AccessPolicy
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
