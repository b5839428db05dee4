import Glibc
import IPC
import IPCDBus
import IPCDesktop
import IPCModel

/// What `doctor` knows. It is read once, so that the checks are functions of it.
struct Facts: Sendable {
    var variables: [String: String] = [:]
    /// The effective user id.
    var user: UInt32 = 0
    /// The absolute path of this program.
    var toolPath = ""
    /// How a shell with this `PATH` starts this program.
    var tool = Client.tool
    /// What `XDG_RUNTIME_DIR` names; nil if it is not set.
    var runtimeDirectory: FileFacts?
    /// `/run/user/UID`, the runtime directory of a session that systemd manages.
    var usualRuntimeDirectory = FileFacts(path: "")
    /// The sockets of a session bus in these directories.
    var sockets: [String] = []
    var bus = BusFacts()
    var broker = BrokerFacts()
    /// The D-Bus service files of the broker and of applications with claims, in the order in which the bus looks.
    var services: [ServiceFacts] = []
    var claims: [Handler] = []
    /// The paths of the files that make installed claims, by application.
    var claimFiles: [String: String] = [:]
    /// Handlers whose newest request failed, or whose start fails, so that requests wait: the id of such a request, and a
    /// sentence.
    var troubles: [(request: String, sentence: String)] = []
    /// The schemes that `register --persistent` has registered on the desktop, by application.
    var registrations: [String: [String]] = [:]
    var desktop = DesktopFacts()
    var store = StoreFacts()
    var configuration = ConfigurationFacts()
    var limits: [LimitUse] = []
}

extension Facts {
    /// Reads all facts, and starts the broker if the bus can.
    @DBusActor
    static func read() async -> Facts {
        var facts = Facts()
        facts.variables = FilePlace.environment(of: "self") ?? [:]
        facts.user = geteuid()
        facts.toolPath = (try? Programs.client()) ?? ""
        let found = facts.program(named: Client.tool).flatMap(FilePlace.resolved)
        if found != facts.toolPath { facts.tool = ShellLine.word(facts.toolPath) }
        facts.runtimeDirectory = facts.variable("XDG_RUNTIME_DIR").map(FileFacts.read)
        facts.usualRuntimeDirectory = .read("/run/user/\(facts.user)")
        facts.sockets = [facts.runtimeDirectory, facts.usualRuntimeDirectory].compactMap { $0.map { $0.path + "/bus" } }
            .filter { FileFacts.read($0).isThere }
        facts.configuration = .read(facts.variables)
        await facts.readBus()
        await facts.readBrokerReport()
        facts.readStore()
        facts.readRegistrations()
        facts.readServices()
        facts.readDesktop()
        return facts
    }

    /// A variable that is set and not empty.
    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    var directories: BaseDirectories { BaseDirectories { variables[$0] } }

    /// The schemes of all claims, in small letters.
    var claimedSchemes: [String] { Set(claims.map { URLScheme.canonical($0.scheme) }).sorted() }

    /// The program that a shell finds by a name.
    func program(named name: String) -> String? {
        let places = (variable("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" }
        return places.first { FileFacts.read($0).isProgram }
    }

    /// What runs a command as root.
    var asRoot: String { user == 0 ? "" : "sudo " }

    /// What a command on a file needs in front of it: `sudo` outside of this user's folders.
    func sudo(_ path: String) -> String {
        let own = [variable("HOME"), directories.dataHome, directories.configHome, directories.runtime]
        return own.contains { $0.map { path.hasPrefix($0 + "/") } ?? false } ? "" : asRoot
    }

    /// Reads the journals; that of `setup` has no schemes.
    private mutating func readRegistrations() {
        guard let data = directories.dataHome else { return }
        let journals = JournaledFiles(folder: "\(data)/\(DesktopRegistration.folder)")
        for name in journals.names {
            registrations[name] = (try? journals.facts(of: name))?["Schemes"]?.split(separator: ";").map(String.init)
        }
    }
}
