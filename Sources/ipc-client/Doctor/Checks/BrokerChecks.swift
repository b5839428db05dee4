import IPCTools

extension Check {
    /// Whether there is a broker, and whether it comes by itself.
    static let broker = Check("broker") { facts in
        guard facts.bus.isReachable, !facts.bus.isSystemBus else { return [] }
        if let failure = facts.broker.startFailure {
            let sentence = "the bus could not start the broker: \(failure)"
            return facts.explainsFailedStart ? [] : [.problem(.brokerStartFailed, sentence, mend: facts.brokerRemedy)]
        }
        guard facts.bus.activatable.contains(BrokerFacts.name) else {
            // A file that the bus has not read is a finding of its own.
            guard facts.service(of: BrokerFacts.name) == nil else { return [] }
            let end = facts.broker.isRunning ? "; it runs, and will not come back by itself" : ""
            return [
                .finding(
                    isProblem: !facts.broker.isRunning, .brokerNotActivatable,
                    "the bus cannot start the broker: no service file is for \(BrokerFacts.name)" + end,
                    mend: facts.brokerRemedy)
            ]
        }
        guard let silence = facts.broker.silence, let process = facts.broker.process else { return [] }
        let sentence = "the broker, process \(process), does not answer: \(silence)"
        return [.problem(.brokerSilent, sentence, mend: ShellLine.end(process))]
    } right: { facts in
        facts.broker.process.map {
            "the broker runs as process \($0), \(facts.broker.shownProgram), and the bus can start it"
        }
    }

    /// Whether the broker that runs is the one that belongs to these tools.
    static let versions = Check("versions") { facts in
        guard let process = facts.broker.process else { return [] }
        let end = ShellLine.end(process)
        if facts.broker.isReplaced {
            return [
                .problem(
                    .brokerReplaced,
                    "the broker, process \(process), runs from \(facts.broker.shownProgram), which was replaced or removed "
                        + "since",
                    mend: end)
            ]
        }
        guard let version = facts.broker.version, version != facts.tool.version else { return [] }
        let isNext = facts.service(of: BrokerFacts.name)?.programResolved == facts.broker.program
        return [
            .problem(
                .brokerVersion,
                "the broker is version \(version), these tools and their library are \(facts.tool.version)",
                mend: isNext ? ShellLine.all(facts.brokerRemedy, end) : end)
        ]
    } right: { facts in
        facts.broker.version.map { "broker, tools and library are version \($0)" }
    }

    /// Whether a limit is about to be reached: from nine tenths on.
    static let limits = Check("limits") { facts in
        facts.limits.filter { $0.most > 0 && $0.share >= 90 }.map { limit in
            let whose = limit.source.map { " of \($0.isEmpty ? "writers without a name" : $0)" } ?? ""
            let isReached = limit.use >= limit.most
            return .finding(
                isProblem: isReached, .limitNear,
                "\(limit.use) of \(limit.most) \(limit.name)\(whose) are in use"
                    + (isReached ? "; what would be more is refused" : ""),
                mend: facts.room(in: limit))
        }
    } right: { facts in
        facts.limits.filter { $0.most > 0 }.max { $0.share < $1.share }.map {
            "no limit is near; the nearest is \($0.name), with \($0.use) of \($0.most)"
        }
    }
}

extension BrokerFacts {
    fileprivate var shownProgram: String { program ?? "a program that cannot be seen" }
}

extension Facts {
    /// Makes the broker startable: the one that lies where these tools do.
    var brokerRemedy: String { "\(tool.command) setup" }

    /// Whether another finding says why the broker does not start.
    fileprivate var explainsFailedStart: Bool {
        let causes = [Check.configuration, .storeOwner, .storeHealth, .storeLock, .serviceNames, .serviceUnits]
        return service(of: BrokerFacts.name).flatMap(ServiceDiagnosis(self).unstartable) != nil
            || causes.contains { $0.findings(self).contains { $0.level == .problem } }
    }

    /// Doubles a limit, or makes room where it cannot be doubled.
    fileprivate func room(in limit: LimitFacts) -> String {
        let (doubled, overflow) = limit.most.multipliedReportingOverflow(by: 2)
        guard !overflow, LimitFacts.canBe(doubled, limit.name), !configuration.path.isEmpty else {
            return "\(tool.command) prune --history"
        }
        return ShellLine.all(
            configuration.line(setting: limit.name, to: doubled), broker.process.map(ShellLine.end))
    }
}
