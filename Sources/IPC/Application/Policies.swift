internal import IPCDBus
internal import IPCInterface

extension Application {
    /// Who may open the URLs of an application; everybody where nobody has set anything.
    /// - Parameter application: this application if `nil`.
    public func policy(of application: String? = nil) async throws(IPCError) -> AccessPolicy {
        let application = application ?? id
        try check(application: application)
        let facts = try await link.call(Schemes1.getPolicy, (application, NoOptions()), repeatable: true)
        return AccessPolicy(
            allowsOthers: try known(PolicyWord(rawValue: facts.others ?? "allow"), "policy", facts.others) == .allow,
            allowed: Set(facts.allow ?? []), refused: Set(facts.deny ?? []))
    }

    /// Stores who may open the URLs of an application, from now on and over restarts. Who is kept out gets
    /// `accessDenied`.
    /// - Parameters:
    ///   - policy: the rules that hold from then on.
    ///   - application: this application if `nil`.
    /// - Throws: `invalidName`; `accessDenied` in a sandbox.
    public func setPolicy(_ policy: AccessPolicy, of application: String? = nil) async throws(IPCError) {
        let application = application ?? id
        try check(application: application)
        for source in policy.allowed.union(policy.refused) { try check(application: source) }
        var options = PolicyOptions()
        options.others = (policy.allowsOthers ? PolicyWord.allow : .deny).rawValue
        if !policy.allowed.isEmpty { options.allow = policy.allowed.sorted() }
        if !policy.refused.isEmpty { options.deny = policy.refused.sorted() }
        try await link.call(Schemes1.setPolicy, (application, options, NoOptions()), repeatable: true)
    }
}

/// What holds for who matches no rule.
private enum PolicyWord: String {
    case allow, deny
}
