/// Whether there is a broker, and whether it comes by itself.
struct BrokerCheck: Check {
    static let name = "broker"
    static let words = ["broker-not-activatable", "broker-start-failed", "broker-silent"]

    func findings(in facts: Facts) -> [Finding] {
        guard facts.bus.isReachable, !facts.bus.isSystemBus else { return [] }
        if let failure = facts.broker.startFailure {
            return isExplained(facts)
                ? []
                : [
                    .problem(
                        Self.words[1], "the bus could not start the broker: \(failure)", mend: facts.brokerRemedy)
                ]
        }
        guard facts.bus.activatable.contains(BrokerFacts.name) else {
            return [notActivatable(facts)].compactMap(\.self)
        }
        guard let silence = facts.broker.silence, let process = facts.broker.process else { return [] }
        return [
            .problem(
                Self.words[2], "the broker, process \(process), does not answer: \(silence)",
                mend: ShellLine.end(process))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        facts.broker.process.map {
            "the broker runs as process \($0), \(facts.broker.program ?? "a program that cannot be seen"), and the bus can "
                + "start it"
        }
    }

    private func notActivatable(_ facts: Facts) -> Finding? {
        // A file that the bus has not read is told by itself.
        guard facts.service(of: BrokerFacts.name) == nil else { return nil }
        let sentence = "the bus cannot start the broker: no service file is for \(BrokerFacts.name)"
        return facts.broker.isRunning
            ? .note(Self.words[0], sentence + "; it runs, and will not come back by itself", mend: facts.brokerRemedy)
            : .problem(Self.words[0], sentence, mend: facts.brokerRemedy)
    }

    /// Whether another finding says why.
    private func isExplained(_ facts: Facts) -> Bool {
        let causes: [any Check] = [
            ConfigurationCheck(), StoreOwnerCheck(), StoreHealthCheck(), StoreLockCheck(), ServiceNameCheck(),
            ServiceUnitCheck(),
        ]
        let program = ServiceProgramCheck().findings(in: facts).contains {
            $0.sentence.contains(facts.service(of: BrokerFacts.name)?.path ?? BrokerFacts.name)
        }
        return program || causes.contains { $0.findings(in: facts).contains { $0.level == .problem } }
    }
}

/// Whether the broker that runs is the one that belongs to these tools.
struct BrokerVersionCheck: Check {
    static let name = "versions"
    static let words = ["broker-replaced", "broker-version", "broker-elsewhere"]

    func findings(in facts: Facts) -> [Finding] {
        guard let process = facts.broker.process else { return [] }
        let program = facts.broker.program ?? "a program that cannot be seen"
        let end = ShellLine.end(process)
        if facts.broker.isReplaced {
            return [
                .problem(
                    Self.words[0],
                    "the broker, process \(process), runs from \(program), which was replaced or removed since",
                    mend: end)
            ]
        }
        let started = facts.service(of: BrokerFacts.name)?.programResolved
        if let version = facts.broker.version, version != facts.tool.version {
            return [
                .problem(
                    Self.words[1],
                    "the broker is version \(version), these tools and their library are \(facts.tool.version)",
                    mend: started == program ? ShellLine.all(facts.brokerRemedy, end) : end)
            ]
        }
        guard let started, started != program else { return [] }
        return [
            .note(
                Self.words[2],
                "the broker, process \(process), is \(program), and the bus would start \(started) the next time",
                mend: end)
        ]
    }

    func assurance(in facts: Facts) -> String? {
        guard let version = facts.broker.version else { return nil }
        return "broker, tools and library are version \(version)"
    }
}

extension Facts {
    /// Makes the bus read its files again, where there is one.
    var reload: String? { bus.isReachable ? ShellLine.reload : nil }

    /// Makes the broker startable: the one that lies where these tools do.
    var brokerRemedy: String { "\(tool.command) setup" }
}
