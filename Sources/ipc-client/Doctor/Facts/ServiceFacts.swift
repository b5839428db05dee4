import IPCDesktop

/// A D-Bus service file (D-Bus specification, "Message Bus Starting Services").
struct ServiceFacts: Sendable {
    static let group = "D-BUS Service"

    var path: String
    /// `Name`; nil where there is none.
    var name: String?
    /// `Exec`; nil where there is none.
    var command: KeyFile.Entry?
    /// The words of `Exec`; nil where it cannot be taken apart.
    var words: [String]?
    /// `SystemdService`.
    var unit: KeyFile.Entry?
    /// The program of `Exec`.
    var program: FileFacts?
    /// Its path without links.
    var programResolved: String?
    /// Where a program of that name is found by `PATH`, for one that is no absolute path.
    var programInPath: String?
    /// Whether the unit is where systemd looks.
    var hasUnit = true
    /// Whether this user may change the file and its folder.
    var isWritable = true

    /// Takes a file apart, as far as it can be.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        let file = KeyFile(bytes: bytes)
        name = file.value(of: "Name", in: Self.group)
        command = file.entry(of: "Exec", in: Self.group)
        unit = file.entry(of: "SystemdService", in: Self.group)
        words = command.flatMap { Self.words($0.value) }
    }

    /// The words of a command. What means something to a shell alone stands there for a bus as it is.
    private static func words(_ line: String) -> [String]? {
        do throws(CommandWords.Invalid) { return try CommandWords(line).words } catch .needsShell {
            return line.split(separator: " ").map(String.init)
        } catch { return nil }
    }

    /// The name that the file's own name states.
    var statedName: String {
        let name = FilePlace.name(of: path)
        return name.hasSuffix(".service") ? String(name.dropLast(8)) : name
    }
}

extension Facts {
    /// The files that count: of each name the first.
    var effectiveServices: [ServiceFacts] {
        var seen: Set<String> = []
        return services.filter { service in service.name.map { seen.insert($0).inserted } ?? true }
    }

    /// The file by which the bus starts a name.
    func service(of name: String) -> ServiceFacts? { services.first { $0.name == name } }

    /// Reads the service files of the broker and of all applications that claim something, in the order in which a
    /// session bus looks (dbus-daemon(1), "standard_session_servicedirs").
    mutating func readServices() {
        let knownNames = Set(claims.map(\.application)).union([BrokerFacts.name])
        let places = [directories.runtime].compactMap(\.self) + directories.data
        for folder in places.map({ "\($0)/\(ServiceFile.folder)" }) {
            let isWritable = FileFacts.read(folder).isWritable
            for file in FilePlace.names(in: folder) where file.hasSuffix(".service") {
                guard let bytes = FilePlace.bytes(of: "\(folder)/\(file)") else { continue }
                var service = ServiceFacts(path: "\(folder)/\(file)", bytes: bytes)
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
        if let program = service.words?.first {
            service.program = .read(program)
            service.programResolved = FilePlace.resolved(program)
            if !program.hasPrefix("/") {
                service.program = FileFacts(path: program)
                service.programInPath = self.program(named: program)
            }
        }
        if let unit = service.unit?.value {
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
