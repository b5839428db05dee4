import IPCDesktop

extension Check {
    /// The names of D-Bus service files.
    static let serviceNames = Check("service-names") { facts in
        facts.services.compactMap(ServiceDiagnosis(facts).misnamed)
    } right: { facts in
        guard !facts.services.isEmpty else { return nil }
        return "the service files are named as they should be: "
            + facts.effectiveServices.map(\.path).joined(separator: ", ")
    }

    /// The programs of D-Bus service files.
    static let servicePrograms = Check("service-programs") { facts in
        facts.effectiveServices.compactMap(ServiceDiagnosis(facts).unstartable)
    } right: { facts in
        let programs = facts.effectiveServices.compactMap(\.program?.path)
        guard !programs.isEmpty else { return nil }
        return "the programs of the service files are there: " + programs.joined(separator: ", ")
    }

    /// The systemd units of D-Bus service files, where systemd runs the session.
    static let serviceUnits = Check("service-units") { facts in
        guard facts.bus.hasSystemd else { return [] }
        return facts.effectiveServices.compactMap { service in
            guard let unit = service.unit, !service.hasUnit else { return nil }
            // Without the key the bus runs the program itself.
            return .problem(
                .serviceUnitMissing,
                "\(service.path) has systemd start the unit \(unit.value), and there is no such unit",
                mend: ShellLine.all(
                    ShellLine.remove(unit.text, of: service.path, asRoot: !service.isWritable), facts.reload))
        }
    } right: { facts in
        let units = facts.effectiveServices.compactMap(\.unit?.value)
        guard facts.bus.hasSystemd, !units.isEmpty else { return nil }
        return "systemd has the units of the service files: \(units.joined(separator: ", "))"
    }
}

extension Facts {
    /// Makes the bus read its files again, where there is one.
    fileprivate var reload: String? { bus.isReachable ? ShellLine.reload : nil }
}

/// What is wrong with a D-Bus service file.
struct ServiceDiagnosis {
    private let facts: Facts

    init(_ facts: Facts) { self.facts = facts }

    func misnamed(_ service: ServiceFacts) -> Finding? {
        let root = !service.isWritable
        guard let name = service.name else {
            return .problem(
                .serviceMalformed,
                "the bus cannot read \(service.path): it has no “Name” in a group [\(ServiceFacts.group)]",
                mend: ShellLine.all(
                    ShellLine.command("mv", "--", service.path, service.path + ".malformed", asRoot: root), facts.reload
                ))
        }
        if name != service.statedName {
            let target = FilePlace.directory(of: service.path) + "/\(name).service"
            return .problem(
                .serviceName,
                "\(service.path) is for \(name) and has to be called \(name).service; some buses pass it over",
                mend: ShellLine.all(
                    ShellLine.command("mv", "-n", "--", service.path, target, asRoot: root), facts.reload))
        }
        guard facts.bus.isReachable, !facts.bus.activatable.contains(name) else { return nil }
        return elsewhere(service)
            ?? .problem(
                .serviceUnknownToBus, "the bus has not read \(service.path), and so cannot start \(name)",
                mend: ShellLine.reload)
    }

    /// A file where the bus would not look either if it read all again.
    private func elsewhere(_ service: ServiceFacts) -> Finding? {
        let folder = FilePlace.directory(of: service.path)
        let isRead = facts.services.contains {
            FilePlace.directory(of: $0.path) == folder && $0.name.map(facts.bus.activatable.contains) ?? false
        }
        guard let own = facts.directories.dataHome, let other = facts.bus.otherDataHome,
            service.path.hasPrefix(own + "/"), !isRead
        else { return nil }
        return .problem(
            .serviceElsewhere,
            "the bus looks below \(other), and not below \(own), where \(service.path) is: it was started with another "
                + "XDG_DATA_HOME, or with none, and then takes the home in /etc/passwd; begin a bus for this shell",
            mend: ShellLine.all("export XDG_DATA_HOME=" + ShellLine.word(own), ShellLine.ownBus))
    }

    /// Why the bus cannot start the program of a file.
    func unstartable(_ service: ServiceFacts) -> Finding? {
        guard let name = service.name else { return nil }
        guard let program = service.program else {
            return .problem(
                .serviceWithoutProgram,
                "\(service.path) has no “Exec” that can be read, and so \(name) cannot be started",
                mend: remedy(service))
        }
        let starts = "\(service.path) starts \(program.path)"
        guard program.path.hasPrefix("/") else {
            return .problem(
                .serviceRelativeProgram, "\(starts), which is no absolute path", mend: absolute(service))
        }
        guard !program.isProgram else { return nil }
        guard !program.isThere else {
            return .problem(
                .serviceProgramMissing, "\(starts), which this user cannot run",
                mend: ShellLine.command("chmod", "+x", "--", program.path, asRoot: program.owner != facts.user.id))
        }
        let advice = name == BrokerFacts.name ? "" : "; put the right one into Exec, or take the file away"
        return .problem(
            .serviceProgramMissing, "\(starts), and there is no such program\(advice)", mend: remedy(service))
    }

    /// The broker gets a file that is right; that of another application goes, for only its author knows what is right.
    private func remedy(_ service: ServiceFacts) -> String {
        // The file that 'setup' writes comes before all others but those of the runtime directory.
        let isFirst = facts.runtimeDirectory.map { service.path.hasPrefix($0.path + "/") } ?? false
        if service.name == BrokerFacts.name, !isFirst { return facts.brokerRemedy }
        return ShellLine.all(ShellLine.command("rm", "--", service.path, asRoot: !service.isWritable), facts.reload)
    }

    private func absolute(_ service: ServiceFacts) -> String {
        guard let line = service.command, let path = service.programInPath, let word = service.words?.first,
            line.value.hasPrefix(word)
        else { return remedy(service) }
        let rest = line.value.dropFirst(word.count)
        return ShellLine.all(
            ShellLine.replace(line.text, of: service.path, with: "Exec=\(path)\(rest)", asRoot: !service.isWritable),
            facts.reload)
    }
}
