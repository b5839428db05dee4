import IPCModel
import IPCTools

extension Check {
    /// Checks that the bus can start the broker, and that the broker answers and has the same version as these tools.
    static let broker = Check("broker", right: "the bus can start the broker, and the broker answers") { facts in
        guard facts.bus.isReachable else { return nil }
        if let failure = facts.broker.startFailure {
            guard !facts.explainsFailedStart else { return nil }
            return [
                Finding(
                    .brokerStartFailed, "the bus could not start the broker: \(failure)", fix: "\(facts.tool) setup")
            ]
        }
        // If a service file exists, but the bus has not read it, another check reports that.
        guard facts.bus.activatable.contains(BrokerFacts.name) || facts.brokerService != nil else {
            let isRunning = facts.broker.process != nil
            return [
                Finding(
                    .brokerNotActivatable,
                    "the bus cannot start the broker: there is no service file for \(BrokerFacts.name)"
                        + (isRunning ? "; the broker is running, but the bus will not restart it" : ""),
                    fix: "\(facts.tool) setup", level: isRunning ? .note : .problem)
            ]
        }
        guard let process = facts.broker.process else { return nil }
        let end = ShellLine.end(process)
        if let version = facts.broker.version, version != ProductVersion.text {
            let isNext = facts.brokerService?.programResolved == facts.broker.program
            return [
                Finding(
                    .brokerVersion,
                    "the broker is version \(version), but these tools are version \(ProductVersion.text)",
                    fix: isNext ? ShellLine.all("\(facts.tool) setup", end) : end)
            ]
        }
        guard let silence = facts.broker.silence else { return [] }
        return [Finding(.brokerSilent, "the broker, process \(process), does not answer: \(silence)", fix: end)]
    }

    /// Finds limits that are at least nine tenths used up.
    static let limits = Check("limits", right: "less than 90% of every limit is in use") { facts in
        guard facts.broker.version != nil else { return nil }
        return facts.limits.filter { $0.most > 0 && $0.use >= $0.most - $0.most / 10 }.map { limit -> Finding in
            let source = limit.source.map { " of \($0.isEmpty ? "writers without a name" : $0)" } ?? ""
            let isReached = limit.use >= limit.most
            return Finding(
                .limitNear,
                "\(limit.use) of \(limit.most) \(limit.name)\(source) are in use"
                    + (isReached ? "; the broker rejects more" : ""),
                fix: facts.fix(limit), level: isReached ? .problem : .note)
        }
    }
}

extension Facts {
    fileprivate var brokerService: ServiceFacts? { services.first { $0.name == BrokerFacts.name } }

    /// Whether another check reports a problem that explains why the broker does not start.
    fileprivate var explainsFailedStart: Bool {
        let causes = [Check.configuration, .store].flatMap { $0.findings(self) ?? [] }
        return causes.contains { $0.level == .problem } || brokerService.flatMap(finding) != nil
    }

    /// The command that doubles a limit or, if that is not possible, removes earlier versions.
    fileprivate func fix(_ limit: LimitUse) -> String {
        let (doubled, overflow) = limit.most.multipliedReportingOverflow(by: 2)
        guard !overflow, Limits.row(named: limit.name)?.range.contains(doubled) ?? false, !configuration.path.isEmpty
        else { return "\(tool) board prune --history" }
        return ShellLine.all(configuration.command(setting: limit.name, to: doubled), broker.process.map(ShellLine.end))
    }
}
