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
    /// The user's choices of an application that does not claim the scheme, by scheme.
    var absentDefaults: [String: String] = [:]
    /// What `register --persistent` has noted.
    var registrations: [RegistrationFacts] = []
    var desktop = DesktopFacts()
    var store = StoreFacts()
    var configuration = ConfigurationFacts()
    var limits: [LimitFacts] = []
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
