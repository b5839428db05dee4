/// A check of `doctor`: a pure function of the collected facts that uses no clock, file or bus.
struct Check: Sendable {
    /// The name that `--all` prints if the check finds no problem.
    let name: String
    /// The message that `--all` prints if the check finds no problem.
    let assurance: String
    /// The function that finds problems. It returns nil if the check does not apply.
    let findings: @Sendable (Facts) -> [Finding]?

    init(_ name: String, right assurance: String, _ findings: @escaping @Sendable (Facts) -> [Finding]?) {
        (self.name, self.assurance, self.findings) = (name, assurance, findings)
    }

    /// All checks, ordered so that causes are reported before their consequences.
    static let all = [
        runtimeDirectory, sessionBus, configuration, store, services, broker, limits, claims, handlers, registrations,
        desktopEntries, desktopCache, desktopDefaults,
    ]

    /// Returns all findings, and the assurances of the checks that found no problem.
    static func report(on facts: Facts) -> [Finding] {
        all.flatMap { check in
            guard let findings = check.findings(facts) else { return [Finding]() }
            return findings.isEmpty ? [Finding(ok: check.name, check.assurance)] : findings
        }
    }
}
