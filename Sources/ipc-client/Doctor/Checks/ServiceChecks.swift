import IPCDesktop

/// The names of D-Bus service files.
struct ServiceNameCheck: Check {
    static let name = "service-names"
    static let words = ["service-malformed", "service-name", "service-unknown-to-bus", "service-elsewhere"]

    func findings(in facts: Facts) -> [Finding] { facts.services.compactMap { finding($0, facts) } }

    func assurance(in facts: Facts) -> String? {
        guard !facts.services.isEmpty else { return nil }
        return "the service files are named as they should be: "
            + facts.effectiveServices.map(\.path).joined(separator: ", ")
    }

    private func finding(_ service: ServiceFacts, _ facts: Facts) -> Finding? {
        let root = !service.isWritable
        if let reason = service.malformation {
            return .problem(
                Self.words[0], "the bus cannot read \(service.path): \(reason)",
                mend: ShellLine.all(
                    ShellLine.command("mv", "--", service.path, service.path + ".malformed", asRoot: root),
                    facts.reload))
        }
        guard let name = service.name else { return nil }
        if name != service.statedName {
            let target = FilePlace.directory(of: service.path) + "/\(name).service"
            return .problem(
                Self.words[1],
                "\(service.path) is for \(name) and has to be called \(name).service; some buses pass it over",
                mend: ShellLine.all(
                    ShellLine.command("mv", "-n", "--", service.path, target, asRoot: root), facts.reload))
        }
        guard facts.bus.isReachable, !facts.bus.activatable.contains(name) else { return nil }
        return elsewhere(service, facts)
            ?? .problem(
                Self.words[2], "the bus has not read \(service.path), and so cannot start \(name)",
                mend: ShellLine.reload)
    }

    /// A file where the bus would not look either if it read all again.
    private func elsewhere(_ service: ServiceFacts, _ facts: Facts) -> Finding? {
        guard let own = facts.directories.dataHome, let other = facts.bus.otherDataHome,
            service.path.hasPrefix(own + "/"), !isRead(FilePlace.directory(of: service.path), facts)
        else { return nil }
        return .problem(
            Self.words[3],
            "the bus looks below \(other), and not below \(own), where \(service.path) is: it was started with another "
                + "XDG_DATA_HOME, or with none, and then takes the home in /etc/passwd; begin a bus for this shell",
            mend: ShellLine.all("export XDG_DATA_HOME=" + ShellLine.word(own), ShellLine.ownBus))
    }

    /// Whether the bus knows a name of the files in a folder.
    private func isRead(_ folder: String, _ facts: Facts) -> Bool {
        facts.services.contains { service in
            FilePlace.directory(of: service.path) == folder && service.name.map(facts.bus.activatable.contains) ?? false
        }
    }
}

/// The programs of D-Bus service files.
struct ServiceProgramCheck: Check {
    static let name = "service-programs"
    static let words = ["service-without-program", "service-relative-program", "service-program-missing"]

    func findings(in facts: Facts) -> [Finding] {
        facts.effectiveServices.filter { $0.malformation == nil }.compactMap { finding($0, facts) }
    }

    func assurance(in facts: Facts) -> String? {
        let programs = facts.effectiveServices.compactMap(\.program?.path)
        guard !programs.isEmpty else { return nil }
        return "the programs of the service files are there: " + programs.joined(separator: ", ")
    }

    private func finding(_ service: ServiceFacts, _ facts: Facts) -> Finding? {
        guard let name = service.name else { return nil }
        guard let program = service.program else {
            return .problem(
                Self.words[0], "\(service.path) has no “Exec” that can be read, and so \(name) cannot be started",
                mend: remedy(service, facts))
        }
        guard program.path.hasPrefix("/") else {
            return .problem(
                Self.words[1], "\(service.path) starts \(program.path), which is no absolute path",
                mend: absolute(service, facts))
        }
        guard !program.isProgram else { return nil }
        guard !program.isThere else {
            return .problem(
                Self.words[2], "\(service.path) starts \(program.path), which this user cannot run",
                mend: ShellLine.command("chmod", "+x", "--", program.path, asRoot: program.owner != facts.user.id))
        }
        return .problem(
            Self.words[2],
            "\(service.path) starts \(program.path), and there is no such program"
                + (service.name == BrokerFacts.name ? "" : "; put the right one into Exec, or take the file away"),
            mend: remedy(service, facts))
    }

    /// The broker gets a file that is right; that of another application goes, for only its author knows what is right.
    private func remedy(_ service: ServiceFacts, _ facts: Facts) -> String {
        // The file that 'setup' writes comes before all others but those of the runtime directory.
        let isFirst = facts.runtimeDirectory.map { service.path.hasPrefix($0.path + "/") } ?? false
        if service.name == BrokerFacts.name, !isFirst { return facts.brokerRemedy }
        return ShellLine.all(
            ShellLine.command("rm", "--", service.path, asRoot: !service.isWritable), facts.reload)
    }

    private func absolute(_ service: ServiceFacts, _ facts: Facts) -> String {
        guard let line = service.commandLine, let path = service.programInPath, let word = service.command?.first,
            service.commandText.hasPrefix(word)
        else { return remedy(service, facts) }
        let rest = service.commandText.dropFirst(word.count)
        return ShellLine.all(
            ShellLine.replace(
                line, of: service.path, with: "Exec=\(path)\(rest)", asRoot: !service.isWritable), facts.reload)
    }
}

/// The systemd units of D-Bus service files, where systemd runs the session.
struct ServiceUnitCheck: Check {
    static let name = "service-units"
    static let words = ["service-unit-missing"]

    func findings(in facts: Facts) -> [Finding] {
        guard facts.bus.hasSystemd else { return [] }
        return facts.effectiveServices.compactMap { service in
            guard let unit = service.unit, let line = service.unitLine, !service.hasUnit else { return nil }
            // Without the key the bus runs the program itself.
            return .problem(
                Self.words[0],
                "\(service.path) has systemd start the unit \(unit), and there is no such unit",
                mend: ShellLine.all(
                    ShellLine.remove(line, of: service.path, asRoot: !service.isWritable), facts.reload))
        }
    }

    func assurance(in facts: Facts) -> String? {
        let units = facts.effectiveServices.compactMap(\.unit)
        guard facts.bus.hasSystemd, !units.isEmpty else { return nil }
        return "systemd has the units of the service files: \(units.joined(separator: ", "))"
    }
}

/// Service files that hide others.
struct ServiceOrderCheck: Check {
    static let name = "service-order"
    static let words = ["service-shadowed"]

    func findings(in facts: Facts) -> [Finding] {
        facts.services.enumerated().compactMap { place, hidden in
            guard let name = hidden.name,
                let first = facts.services[..<place].first(where: { $0.name == name }),
                first.program?.path != hidden.program?.path
            else { return nil }
            return .note(
                Self.words[0],
                "\(first.path) hides \(hidden.path): the bus starts \(first.program?.path ?? "nothing") for \(name), "
                    + "and not \(hidden.program?.path ?? "nothing")",
                mend: ShellLine.all(
                    ShellLine.command("rm", "--", first.path, asRoot: !first.isWritable), facts.reload))
        }
    }

    func assurance(in facts: Facts) -> String? {
        facts.services.isEmpty ? nil : "no service file hides another one"
    }
}
