internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// What the user decides: who may open whose URLs.
extension SchemesService {
    /// Choices are the user's: a program in a sandbox does not make them (I21).
    func checkUser(_ call: IncomingCall) async throws {
        guard await clients.visibility(of: call.sender).isWhole else {
            throw IPCError(.accessDenied, "a program in a sandbox cannot choose for the user")
        }
    }

    func getPolicy(_ text: String, _ call: IncomingCall) throws -> PolicyFacts {
        let policy = policies[try ApplicationID(text)]
        var facts = PolicyFacts()
        facts.others = policy.allowsOthers ? "allow" : "deny"
        (facts.allow, facts.deny) = (policy.allowed.sorted(), policy.refused.sorted())
        return facts
    }

    func setPolicy(_ text: String, _ options: PolicyOptions, _ call: IncomingCall) async throws {
        let application = try ApplicationID(text)
        try await checkUser(call)
        for list in [options.allow ?? [], options.deny ?? []] {
            try limits.check(\.namesPerCall, request: UInt64(list.count))
            for id in list { _ = try ApplicationID(id) }
        }
        let others = options.others ?? "allow"
        guard ["allow", "deny"].contains(others) else {
            throw IPCError(.invalidArguments, "“default” is allow or deny, not \(others.quoted)")
        }
        let policy = AccessPolicy(
            allowsOthers: others == "allow", allowed: Set(options.allow ?? []), refused: Set(options.deny ?? []))
        try await policies.set(policy, of: application)
    }
}
