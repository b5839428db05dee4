import IPCDBus
import IPCDesktop

extension Facts {
    /// Looks at everything, and starts the broker where the bus can.
    @DBusActor
    static func read() async -> Facts {
        var facts = Facts()
        facts.variables = ProcessEnvironment.read("self") ?? [:]
        facts.user = UserFacts(id: UserFacts.effective, home: UserFacts.home(of: UserFacts.effective))
        facts.readTool()
        facts.runtimeDirectory = facts.variable("XDG_RUNTIME_DIR").map(FileFacts.read)
        facts.usualRuntimeDirectory = .read("/run/user/\(facts.user.id)")
        facts.readConfiguration()
        facts.readStorePlace(facts.variables)
        await facts.readBus()
        await facts.readBrokerReport()
        facts.followBus()
        facts.store.read()
        facts.readInstalledClaims()
        facts.readRegistrations()
        facts.readServices()
        facts.readDesktop()
        return facts
    }

    /// A variable that is set and not empty.
    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    var directories: BaseDirectories { BaseDirectories { variables[$0] } }

    private mutating func readTool() {
        tool.path = FilePlace.target(of: "/proc/self/exe") ?? ""
        tool.found = program(named: Client.tool).flatMap(FilePlace.resolved)
    }

    /// The program that a shell finds by a name.
    func program(named name: String) -> String? {
        let places = (variable("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" }
        return places.first { FileFacts.read($0).isProgram }
    }

    /// Where a broker with these variables would have its store.
    private mutating func readStorePlace(_ variables: [String: String]) {
        if let path = variables["SWIFT_IPC_STORE"], path.hasPrefix("/") {
            (store.path, store.source) = (path, .variable)
        } else if let path = configuration.store {
            (store.path, store.source) = (path, .configuration)
        } else if let data = BaseDirectories(environment: { variables[$0] }).dataHome {
            (store.path, store.source) = (data + "/swift-ipc", .usual)
        }
    }

    /// The broker that the bus could not start would have had the store that the bus's variables name; another one that this
    /// shell names is not in use.
    private mutating func followBus() {
        if broker.startFailure != nil, let given = bus.activation?.variables ?? bus.environment {
            readStorePlace(given)
        }
        guard let stated = variable("SWIFT_IPC_STORE"), broker.isRunning || broker.startFailure != nil,
            FilePlace.resolved(stated) != FilePlace.resolved(store.path) || FilePlace.resolved(stated) == nil
        else { return }
        store.unused = stated
    }

    /// The files of installed claims, beside the claims that the broker has made of them.
    private mutating func readInstalledClaims() {
        for place in claims.indices where claims[place].kind == "installed" {
            let name = "\(ClaimFile.folder)/\(claims[place].application).handler"
            let folders = directories.data + [directories.runtime].compactMap(\.self)
            claims[place].file = folders.lazy.map { FileFacts.read("\($0)/\(name)") }.first(where: \.isThere).map {
                var file = $0
                file.isWritable = FileFacts.read(FilePlace.directory(of: file.path)).isWritable
                return file
            }
        }
    }

    /// The journals of registrations; that of `setup` has no schemes.
    private mutating func readRegistrations() {
        guard let data = directories.dataHome else { return }
        let folder = "\(data)/\(DesktopRegistration.folder)"
        let journals = JournaledFiles(folder: folder)
        registrations = FilePlace.names(in: folder).compactMap { name in
            let schemes = (try? journals.facts(of: name))?["Schemes"].map { $0.split(separator: ";").map(String.init) }
            return schemes.map { RegistrationFacts(application: name, schemes: $0) }
        }
    }

    /// The ids of the broker and of all applications that claim something.
    var knownNames: Set<String> { Set(claims.map(\.application)).union([BrokerFacts.name]) }
}
