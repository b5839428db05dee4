/// One thing that `doctor` looks at: functions of the facts, without clock, file or bus.
struct Check: Sendable {
    /// The word of the finding if all is right (`--all`).
    let name: String
    /// What is not as it should be.
    let findings: @Sendable (Facts) -> [Finding]
    /// What is right if nothing was found, as a sentence; nil if there was nothing to look at.
    let assurance: @Sendable (Facts) -> String?

    init(
        _ name: String, _ findings: @escaping @Sendable (Facts) -> [Finding],
        right assurance: @escaping @Sendable (Facts) -> String?
    ) {
        (self.name, self.findings, self.assurance) = (name, findings, assurance)
    }

    /// All checks, in the order in which one should mend: what stands further down often needs what stands above.
    static let all = [
        runtimeDirectory, sessionBus, environment, configuration,
        storeOwner, storeHealth, storeLock,
        serviceNames, servicePrograms, serviceUnits,
        broker, versions, limits,
        claims, handlers, registrations,
        desktopClaims, desktopEntries, desktopCommands, desktopCache, desktopDefaults,
    ]

    /// All findings, with the assurances of the checks that found nothing.
    static func report(on facts: Facts) -> [Finding] {
        all.flatMap { check in
            let findings = check.findings(facts)
            guard findings.isEmpty, let assurance = check.assurance(facts) else { return findings }
            return [.ok(check.name, assurance)]
        }
    }
}
