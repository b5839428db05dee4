/// One thing that `doctor` looks at: a function of what was read before, without clock, file or bus.
protocol Check: Sendable {
    /// The word by which `--all` tells that all is right.
    static var name: String { get }
    /// The words of what it can find.
    static var words: [String] { get }
    /// What is not as it should be.
    func findings(in facts: Facts) -> [Finding]
    /// What is right where nothing was found, as a sentence; nil where there was nothing to look at.
    func assurance(in facts: Facts) -> String?
}

extension Check {
    /// What it says with `--all`.
    func report(on facts: Facts) -> [Finding] {
        let findings = findings(in: facts)
        guard findings.isEmpty, let assurance = assurance(in: facts) else { return findings }
        return [.ok(Self.name, assurance)]
    }
}

/// All checks, in the order in which one should mend: what stands further down often needs what stands above.
enum Checks {
    static let all: [any Check] = [
        RuntimeDirectoryCheck(), BusCheck(), EnvironmentCheck(), PathCheck(),
        ConfigurationCheck(),
        StoreOwnerCheck(), StorePlaceCheck(), StoreHealthCheck(), StoreLockCheck(),
        ServiceNameCheck(), ServiceProgramCheck(), ServiceUnitCheck(), ServiceOrderCheck(),
        BrokerCheck(), BrokerVersionCheck(), DisplayCheck(), LimitCheck(),
        ClaimCheck(), DefaultCheck(), HandlerCheck(), RegistrationCheck(),
        EntryClaimCheck(), EntryUniquenessCheck(), EntrySchemesCheck(), EntryCommandCheck(), EntryNameCheck(),
        DesktopCacheCheck(), AssociationCheck(),
    ]

    /// Everything that there is to say, the right things too.
    static func report(on facts: Facts) -> [Finding] { all.flatMap { $0.report(on: facts) } }
}
