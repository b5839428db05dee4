internal import IPCDBus
internal import IPCModel
internal import IPCStore
internal import Logging

/// Who may open the URLs of which application, as the user has said.
@DBusActor
final class AccessPolicies {
    private let store: Store
    private let logger: Logger
    private var policies: [ApplicationID: AccessPolicy] = [:]

    init(store: Store, logger: Logger) { (self.store, self.logger) = (store, logger) }

    func load() async throws {
        let (stored, damaged) = try await store.commit { try $0.registrations.policies() }
        policies = stored
        if damaged > 0 {
            logger.error(
                "policies were damaged: nobody may open the URLs of those applications until they are set anew",
                metadata: ["count": "\(damaged)"])
        }
    }

    subscript(application: ApplicationID) -> AccessPolicy { policies[application] ?? AccessPolicy() }

    /// Stores a policy; on the disk when this returns.
    func set(_ policy: AccessPolicy, of application: ApplicationID) async throws {
        try await store.commit { try $0.registrations.setPolicy(policy, of: application) }
        policies[application] = policy.isOpen ? nil : policy
    }

    /// Refuses a source that may not open the URLs of an application, and says so in the log.
    func check(_ source: Source, opens application: ApplicationID) throws(IPCError) {
        guard let policy = policies[application], !policy.allows(source) else { return }
        logger.notice(
            "refused", metadata: ["source": "\(source)", "application": "\(application)"])
        let reason =
            policy.lacksProof(of: source)
            ? ": it is on the list of those allowed, but only a source that owns its bus name counts" : ""
        throw IPCError(
            .accessDenied,
            "the policy of \(application) keeps the source \(source) out\(reason); "
                + "'ipc-client policy \(application)' shows it")
    }
}
