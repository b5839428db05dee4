import IPCDesktop

extension Check {
    /// Checks the D-Bus service files of the broker and of applications with claims.
    static let services = Check("services", right: "the bus reads the files and finds the programs") { facts in
        facts.services.isEmpty ? nil : facts.services.compactMap(facts.finding)
    }
}

extension Facts {
    /// Why the bus cannot start the program of a service file; nil if it can.
    func finding(on service: ServiceFacts) -> Finding? {
        guard let name = service.name, let program = service.program else {
            return Finding(
                .serviceMalformed,
                "the bus cannot read \(service.path): it has no “Name” or no “Exec” in a group [\(ServiceFacts.group)]",
                fix: remedy(service))
        }
        guard name == service.statedName else {
            let target = FilePlace.directory(of: service.path) + "/\(name).service"
            let move = ShellLine.command("mv", "-n", "--", service.path, target)
            return Finding(
                .serviceName,
                "\(service.path) is for \(name), so it must be called \(name).service; some buses ignore it",
                fix: ShellLine.all(sudo(service.path) + move, reload))
        }
        if bus.isReachable, !bus.activatable.contains(name) { return unread(service, name) }
        guard !program.isProgram || !program.path.hasPrefix("/") else { return nil }
        let starts = "\(service.path) starts \(program.path)"
        if program.isThere, program.path.hasPrefix("/") {
            return Finding(
                .serviceProgramMissing, "\(starts), which this user cannot run",
                fix: (program.owner == user ? "" : asRoot) + ShellLine.command("chmod", "+x", "--", program.path))
        }
        return Finding(
            .serviceProgramMissing, "\(starts), but there is no such program; put its absolute path into Exec",
            fix: remedy(service))
    }

    /// The finding about a service file that the bus has not read: either the bus must reload its files, or it does not
    /// look in this file's folder.
    private func unread(_ service: ServiceFacts, _ name: String) -> Finding {
        guard let own = directories.dataHome, let other = bus.otherDataHome, service.path.hasPrefix(own + "/") else {
            return Finding(
                .serviceUnknownToBus, "the bus has not read \(service.path), so it cannot start \(name)",
                fix: ShellLine.reload)
        }
        return Finding(
            .serviceElsewhere,
            "the bus looks in \(other), but \(service.path) is in \(own): the bus was started with a different "
                + "XDG_DATA_HOME; start a bus for this shell",
            fix: ShellLine.all("export XDG_DATA_HOME=" + ShellLine.word(own), ShellLine.ownBus))
    }

    /// The command that writes a correct service file for the broker, or moves another application's file aside,
    /// because only the author of that application knows what it must contain.
    private func remedy(_ service: ServiceFacts) -> String {
        guard service.name != BrokerFacts.name else { return "\(tool) setup" }
        if let register = registration(of: service.statedName) { return register }
        let move = ShellLine.command("mv", "--", service.path, service.path + ".broken")
        return ShellLine.all(sudo(service.path) + move, reload)
    }

    /// The command that makes the bus read its files again; nil if there is no bus.
    private var reload: String? { bus.isReachable ? ShellLine.reload : nil }
}
