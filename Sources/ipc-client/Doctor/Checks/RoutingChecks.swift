import IPCTools

/// Whether programs that the bus starts can open a window, where this shell can.
struct DisplayCheck: Check {
    static let name = "display"
    static let words = ["display-not-activated"]

    private static let displays = ["DISPLAY", "WAYLAND_DISPLAY"]

    func findings(in facts: Facts) -> [Finding] {
        guard let activation = facts.bus.activation, !Self.has(activation.variables), Self.has(facts.variables) else {
            return []
        }
        let passed = (Self.displays + ["XAUTHORITY"]).filter { facts.variables[$0]?.isEmpty == false }
        let update = "dbus-update-activation-environment --systemd " + passed.joined(separator: " ")
        // The broker shows what the bus gives to what it starts next.
        let end = activation.source == .broker ? facts.broker.process.map(ShellLine.end) : nil
        return [
            .note(
                Self.words[0],
                "programs that the bus starts have no DISPLAY and no WAYLAND_DISPLAY, which this shell has"
                    + (activation.source == .broker ? ": the broker was started without" : ""),
                mend: ShellLine.all(update, end))
        ]
    }

    func assurance(in facts: Facts) -> String? {
        guard let activation = facts.bus.activation else { return nil }
        return Self.has(activation.variables)
            ? "programs that the bus starts have a display" : "neither this shell nor what the bus starts has a display"
    }

    private static func has(_ variables: [String: String]) -> Bool {
        displays.contains { variables[$0]?.isEmpty == false }
    }
}

/// Whether a limit is about to be reached.
struct LimitCheck: Check {
    static let name = "limits"
    static let words = ["limit-near"]

    /// Hundredths of a limit from which on it is told.
    static let near = 90.0

    func findings(in facts: Facts) -> [Finding] {
        facts.limits.filter { $0.most > 0 && $0.share >= Self.near }.map { limit in
            let whose = limit.source.map { " of \($0.isEmpty ? "writers without a name" : $0)" } ?? ""
            let sentence = "\(limit.use) of \(limit.most) \(limit.name)\(whose) are in use"
            let mend = mend(limit, facts)
            return limit.use >= limit.most
                ? .problem(Self.words[0], sentence + "; what would be more is refused", mend: mend)
                : .note(Self.words[0], sentence, mend: mend)
        }
    }

    func assurance(in facts: Facts) -> String? {
        guard let fullest = facts.limits.filter({ $0.most > 0 }).max(by: { $0.share < $1.share }) else { return nil }
        return "no limit is near; the nearest is \(fullest.name), with \(fullest.use) of \(fullest.most)"
    }

    /// Doubles the limit, or makes room where it cannot be doubled.
    private func mend(_ limit: LimitFacts, _ facts: Facts) -> String {
        let (doubled, overflow) = limit.most.multipliedReportingOverflow(by: 2)
        guard !overflow, LimitFacts.canBe(doubled, limit.name), !facts.configuration.path.isEmpty else {
            return "\(facts.tool.command) prune --history"
        }
        return ShellLine.all(
            facts.configuration.line(setting: limit.name, to: doubled), facts.broker.process.map(ShellLine.end))
    }
}

/// Claims that nobody can start.
struct ClaimCheck: Check {
    static let name = "claims"
    static let words = ["claim-unstartable"]

    func findings(in facts: Facts) -> [Finding] {
        facts.claims.filter { !$0.isRunning && !$0.isActivatable }.map { claim in
            let sentence =
                "\(claim.application) claims \(claim.scheme), and neither runs nor can be started by the bus: "
                + (claim.isHandler ? "what is not queued is refused" : "it is passed over while others are there")
                + start(claim)
            let mend = mend(claim, facts)
            return claim.isHandler
                ? .problem(Self.words[0], sentence, mend: mend) : .note(Self.words[0], sentence, mend: mend)
        }
    }

    func assurance(in facts: Facts) -> String? {
        guard facts.broker.version != nil else { return nil }
        return "every one of \(facts.claims.count) claims is of an application that runs or can be started"
    }

    /// What makes it startable, where these tools can; what mends without a word of the user takes the claim back.
    private func start(_ claim: ClaimFacts) -> String {
        guard claim.file == nil else { return "" }
        return
            "; 'ipc-client register \(claim.scheme) --application \(claim.application) --persistent --exec COMMAND' says how "
            + "it is started, and else the claim is to go"
    }

    private func mend(_ claim: ClaimFacts, _ facts: Facts) -> String {
        guard let file = claim.file else {
            let words = ["unregister", claim.scheme, "--application", claim.application].map(ShellLine.word)
            return "\(facts.tool.command) \(words.joined(separator: " "))"
        }
        // The broker reads such files when it starts.
        return ShellLine.all(
            ShellLine.command("rm", "--", file.path, asRoot: !file.isWritable),
            facts.broker.process.map(ShellLine.end))
    }
}

/// Choices of the user that point to nobody.
struct DefaultCheck: Check {
    static let name = "defaults"
    static let words = ["default-without-claim"]

    func findings(in facts: Facts) -> [Finding] {
        facts.absentDefaults.sorted { $0.key < $1.key }.map { scheme, application in
            .note(
                Self.words[0],
                "\(application) is the chosen application for \(scheme), and does not claim it: another one gets its URLs, "
                    + "or nobody",
                mend: "\(facts.tool.command) default \(ShellLine.word(scheme)) --forget")
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.broker.version == nil ? nil : "every chosen application claims its scheme"
    }
}
