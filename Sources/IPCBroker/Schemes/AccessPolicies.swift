internal import IPCDBus
internal import IPCInterface
internal import IPCModel
internal import IPCStore
internal import Logging

/// The user's policies: the sources that may open the URLs of each application.
@DBusActor
final class AccessPolicies {
    private let store: Store
    private let limits: Limits
    private let logger: Logger
    private var policies: [ApplicationID: AccessPolicy] = [:]

    init(store: Store, limits: Limits, logger: Logger) {
        (self.store, self.limits, self.logger) = (store, limits, logger)
    }

    func load() async throws {
        let (stored, damaged) = try await store.commit { try $0.registrations.policies() }
        policies = stored
        if damaged > 0 {
            logger.error(
                "some policies were damaged: no source may open URLs of their applications until new ones are set",
                metadata: ["count": "\(damaged)"])
        }
    }

    subscript(application: ApplicationID) -> AccessPolicy { policies[application] ?? AccessPolicy() }

    func facts(of application: ApplicationID) -> PolicyFacts {
        let policy = self[application]
        var facts = PolicyFacts()
        facts.others = policy.allowsOthers ? "allow" : "deny"
        (facts.allow, facts.deny) = (policy.allowed.sorted().map(\.text), policy.refused.sorted().map(\.text))
        return facts
    }

    /// A page of the stored policies, sorted by application.
    func list(_ options: PageOptions) throws -> [FactsRow<PolicyFacts>] {
        let after = try options.after.flatMap { try $0.isEmpty ? nil : ApplicationID($0) }
        let rest = policies.keys.filter { id in after.map { id > $0 } ?? true }
        return rest.sorted().prefix(try limits.page(options.limit)).map { FactsRow($0.text, facts(of: $0)) }
    }

    /// Validates and stores a policy. The policy is on disk when this returns.
    func set(_ options: PolicyOptions, of application: ApplicationID) async throws {
        let (allowed, refused) = (try ids(options.allow), try ids(options.deny))
        let others = options.others ?? "allow"
        guard ["allow", "deny"].contains(others) else {
            throw IPCError(.invalidArguments, "“default” must be allow or deny, not \(others.quoted)")
        }
        let policy = AccessPolicy(allowsOthers: others == "allow", allowed: allowed, refused: refused)
        try await store.commit { try $0.registrations.setPolicy(policy, of: application) }
        policies[application] = policy.isOpen ? nil : policy
    }

    private func ids(_ names: [String]?) throws -> Set<ApplicationID> {
        let names = names ?? []
        try limits.check(\.namesPerCall, request: UInt64(names.count))
        return Set(try names.map(ApplicationID.init(_:)))
    }

    /// Rejects a source that may not open the URLs of an application, and logs the refusal.
    func check(_ source: Source, opens application: ApplicationID) throws(IPCError) {
        guard let policy = policies[application], !policy.allows(source) else { return }
        logger.notice(
            "refused", metadata: ["source": "\(source)", "application": "\(application)"])
        let reason =
            policy.lacksProof(of: source)
            ? ": it is allowed only if it owns the bus name of its application id" : ""
        throw IPCError(
            .accessDenied,
            "the policy of \(application) does not allow the source \(source)\(reason); "
                + "'ipc-client scheme policy \(application)' shows it")
    }
}
