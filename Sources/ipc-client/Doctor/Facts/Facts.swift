import Glibc
import IPCDBus
import IPCDesktop
import IPCModel

/// What `doctor` knows, read once, so that the checks are functions of it.
struct Facts: Sendable {
    /// The environment of this process.
    var variables: [String: String] = [:]
    var user = UserFacts()
    var tool = ToolFacts()
    /// What `XDG_RUNTIME_DIR` names; nil where it names nothing.
    var runtimeDirectory: FileFacts?
    /// `/run/user/UID`, where a session of systemd has it.
    var usualRuntimeDirectory: FileFacts?
    var bus = BusFacts()
    var broker = BrokerFacts()
    /// The D-Bus service files that concern the broker and known applications, in the order in which the bus looks.
    var services: [ServiceFacts] = []
    var claims: [ClaimFacts] = []
    /// Handlers of which the newest requests came to nothing.
    var troubles: [TroubleFacts] = []
    /// What `register --persistent` has noted.
    var registrations: [RegistrationFacts] = []
    var desktop = DesktopFacts()
    var store = StoreFacts()
    var configuration = ConfigurationFacts()
    var limits: [LimitFacts] = []
}

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
        facts.desktop = .read(facts)
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
        if broker.startFailure != nil, let given = bus.environment {
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
}

/// Who runs this.
struct UserFacts: Sendable {
    /// The effective user id.
    var id: UInt32 = 0
    /// The home that the password file says (passwd(5)); nil where the user does not stand there.
    var home: String?
    var isRoot: Bool { id == 0 }
}

/// This program.
struct ToolFacts: Sendable {
    var version = ProductVersion.text
    /// The absolute path of this program.
    var path = ""
    /// The first program of its name in `PATH`, without links.
    var found: String?

    var directory: String { FilePlace.directory(of: path) }
    /// What a shell with this `PATH` runs this program by.
    var command: String { found == path ? Client.tool : ShellLine.word(path) }
}

/// A claim of an application to a scheme, as the broker tells it.
struct ClaimFacts: Sendable, Hashable {
    /// As the application spells it.
    var scheme: String
    var application: String
    /// `live`, `persistent` or `installed`.
    var kind = "persistent"
    var isHandler = true
    var isRunning = false
    var isActivatable = false
    /// The file that makes an installed claim.
    var file: FileFacts?
}

/// Requests of a handler that came to nothing, or wait for a start that fails; none has gone well since.
struct TroubleFacts: Sendable, Hashable {
    var application: String
    /// How many.
    var count = 1
    /// The newest, or the first that waits.
    var request: String
    /// What became of it; nil where it waits.
    var end: Outcome?
    /// What was said of it; empty where nothing was.
    var message = ""
}

/// A registration on the desktop, as its journal tells it.
struct RegistrationFacts: Sendable, Hashable {
    var application: String
    /// As the application spells them.
    var schemes: [String]
}

/// A limit that is counted, and its use.
struct LimitFacts: Sendable, Hashable {
    /// The name on the wire.
    var name: String
    /// The source that it counts for; nil for all together.
    var source: String?
    var use: UInt64
    var most: UInt64

    /// Hundredths of it that are in use.
    var share: Double { most == 0 ? 0 : Double(use) / Double(most) * 100 }

    /// Whether the limit of a name may be set to a number.
    static func canBe(_ number: UInt64, _ name: String) -> Bool {
        Limits.row(named: name)?.range.contains(number) ?? false
    }
}

extension UserFacts {
    /// The corresponding C function is `geteuid`.
    static var effective: UInt32 { geteuid() }

    /// Its line in `/etc/passwd` (passwd(5)). getpwuid(3) asks other sources too, by modules that a static program cannot load.
    static func home(of user: UInt32) -> String? {
        let lines = FilePlace.text(of: "/etc/passwd")?.split(separator: "\n") ?? []
        let fields = lines.lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        return fields.first { $0.count == 7 && UInt32($0[2]) == user }.map { String($0[5]) }
    }
}
