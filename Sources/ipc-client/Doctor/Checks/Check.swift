/// A question that `doctor` asks: a function of the facts, without clock, file or bus.
struct Check: Sendable {
    /// The word of the finding if nothing is wrong (`--all`).
    let name: String
    /// The sentence of that finding.
    let assurance: String
    /// The function that finds problems; its result is nil if the check does not apply.
    let findings: @Sendable (Facts) -> [Finding]?

    init(_ name: String, right assurance: String, _ findings: @escaping @Sendable (Facts) -> [Finding]?) {
        (self.name, self.assurance, self.findings) = (name, assurance, findings)
    }

    /// All checks, causes before their consequences.
    static let all = [
        runtimeDirectory, sessionBus, configuration, store, services, broker, limits, claims, handlers, registrations,
        desktopEntries, desktopCache, desktopDefaults,
    ]

    /// All findings, with the assurances of the checks that found nothing.
    static func report(on facts: Facts) -> [Finding] {
        all.flatMap { check in
            guard let findings = check.findings(facts) else { return [Finding]() }
            return findings.isEmpty ? [Finding(ok: check.name, check.assurance)] : findings
        }
    }
}
