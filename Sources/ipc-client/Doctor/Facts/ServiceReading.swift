import IPCDesktop

extension Facts {
    /// Reads the service files of the broker and of all applications that claim something, in the order in which a
    /// session bus looks (dbus-daemon(1), "standard_session_servicedirs").
    mutating func readServices() {
        let places = [directories.runtime].compactMap(\.self) + directories.data
        for folder in places.map({ "\($0)/\(ServiceFile.folder)" }) {
            let isWritable = FileFacts.read(folder).isWritable
            for file in FilePlace.names(in: folder) where file.hasSuffix(".service") {
                guard let text = FilePlace.text(of: "\(folder)/\(file)") else { continue }
                var service = ServiceFacts(path: "\(folder)/\(file)", text: text)
                let names = [service.statedName, service.name].compactMap(\.self)
                guard !knownNames.isDisjoint(with: names) else { continue }
                service.isWritable = isWritable
                look(at: &service)
                services.append(service)
            }
        }
    }

    /// Looks for the program and the unit of a file.
    private func look(at service: inout ServiceFacts) {
        if let program = service.command?.first {
            service.program = .read(program)
            service.programResolved = FilePlace.resolved(program)
            if !program.hasPrefix("/") {
                service.program = FileFacts(path: program)
                service.programInPath = self.program(named: program)
            }
        }
        if let unit = service.unit {
            service.hasUnit = unitFolders.contains { FileFacts.read("\($0)/\(unit)").isThere }
        }
    }

    /// Where the user's systemd looks for units (systemd.unit(5), "Unit File Load Path").
    private var unitFolders: [String] {
        let own = [directories.configHome, directories.runtime, directories.dataHome].compactMap(\.self)
        let all = own + directories.systemConfig + directories.systemData
        return all.map { $0 + "/systemd/user" }
            + ["/etc/systemd/user", "/run/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
    }
}

extension ServiceFacts {
    /// Takes a file apart, as far as it can be.
    init(path: String, text: String) {
        self.path = path
        let lines = KeyLine.all(in: text)
        let group = "D-BUS Service"
        name = lines.first("Name", in: group)?.value
        if name == nil { malformation = "it has no “Name” in a group [\(group)]" }
        if let line = lines.first("Exec", in: group) {
            (commandLine, commandText) = (line.text, line.value)
            command = Self.words(line.value)
        }
        if let line = lines.first("SystemdService", in: group) { (unit, unitLine) = (line.value, line.text) }
    }

    /// The words of a command. What means something to a shell alone stands there for a bus as it is.
    private static func words(_ line: String) -> [String]? {
        do throws(CommandWords.Invalid) { return try CommandWords(line).words } catch .needsShell {
            return line.split(separator: " ").map(String.init)
        } catch { return nil }
    }
}
