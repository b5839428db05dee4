import Glibc
import IPC
import IPCDBus
import IPCDesktop
import IPCModel

/// The information that `doctor` checks. It is collected once, so that the checks are pure functions of it.
struct Facts: Sendable {
    var variables: [String: String] = [:]
    /// The effective user id.
    var user: UInt32 = 0
    /// The absolute path of this program.
    var toolPath = ""
    /// How to call this program in a shell: by its name if `PATH` finds it, otherwise by its path.
    var tool = Client.tool
    /// The directory that `XDG_RUNTIME_DIR` names; nil if it is not set.
    var runtimeDirectory: FileFacts?
    /// `/run/user/UID`, the runtime directory of a session that systemd manages.
    var usualRuntimeDirectory = FileFacts(path: "")
    /// The paths of the session bus sockets in `runtimeDirectory` and `usualRuntimeDirectory`.
    var sockets: [String] = []
    var bus = BusFacts()
    var broker = BrokerFacts()
    /// The D-Bus service files of the broker and of applications with claims, in the order in which the bus reads them.
    var services: [ServiceFacts] = []
    var claims: [Handler] = []
    /// For each application, the path of the file with its installed claims.
    var claimFiles: [String: String] = [:]
    /// A request id and a message for each handler that cannot be started while requests are waiting for it, or whose
    /// newest request has failed.
    var troubles: [(request: String, sentence: String)] = []
    /// For each application, the schemes that `scheme register --persistent` has registered on the desktop.
    var registrations: [String: [String]] = [:]
    /// For each application in `registrations` whose command `handle` has registered, that command.
    var commands: [String: CommandHandler] = [:]
    var desktop = DesktopFacts()
    var store = StoreFacts()
    var configuration = ConfigurationFacts()
    var limits: [LimitUse] = []
}

extension Facts {
    /// Collects all facts, and makes the bus start the broker if it can.
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

    /// The value of an environment variable; nil if it is unset or empty.
    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    var directories: BaseDirectories { BaseDirectories { variables[$0] } }

    /// The schemes of all claims, in lower case.
    var claimedSchemes: [String] { Set(claims.map(\.scheme.canonical)).sorted() }

    /// The path of the program that a shell finds by a name; nil if there is none.
    func program(named name: String) -> String? {
        let places = (variable("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" }
        return places.first { FileFacts.read($0).isProgram }
    }

    /// The prefix that makes a shell run a command as root.
    var asRoot: String { user == 0 ? "" : "sudo " }

    /// The prefix that a command on a file needs: `sudo` outside of this user's folders.
    func sudo(_ path: String) -> String {
        let own = [variable("HOME"), directories.dataHome, directories.configHome, directories.runtime]
        return own.contains { $0.map { path.hasPrefix($0 + "/") } ?? false } ? "" : asRoot
    }

    /// The command that writes the claim and all files of a handler again; nil if `handle` has not registered it.
    func registration(of application: String) -> String? {
        commands[application].map { "\(tool) " + $0.arguments.map(ShellLine.word).joined(separator: " ") }
    }

    private mutating func readRegistrations() {
        for (application, facts) in (try? DesktopRegistration.all(in: directories)) ?? [] {
            registrations[application.text] = facts.schemes.map(\.spelling)
            commands[application.text] = CommandHandler(application, facts)
        }
    }
}
