import IPC
import IPCDesktop
import IPCModel
import IPCTools

/// A shell command that handles the URLs of a scheme, as `handle` registers it: for each request, the bus starts
/// `ipc-server`, which runs the command once, answers with its result, and exits.
struct CommandHandler: Sendable, Hashable {
    let scheme: URLScheme
    /// The command line, for `sh -c`.
    let line: String
    let reply: CommandReply

    /// The command with which the bus starts the handler.
    /// - Parameter server: the absolute path of `ipc-server`.
    func words(_ server: String) throws(IPCError) -> CommandWords {
        let claim = ["--application", try ApplicationID(commandFor: scheme).text, "--scheme", scheme.spelling]
        // The next request starts the command that is registered then.
        let answer = ["--count", "1", Self.reply + reply.text, Self.exec + line]
        let words = CommandWords(words: [server] + claim + permission + answer)
        do throws(CommandWords.Invalid) { return try words.runnable() } catch { throw error.ipcError }
    }

    /// The option for a reserved scheme: whoever has stored the claim was allowed to.
    private var permission: [String] { scheme.isReserved ? ["--allow-reserved"] : [] }

    /// The words after `ipc-client` that register this handler.
    var arguments: [String] {
        let replying: [String] =
            switch reply {
            case .none: []
            case .automatic: ["--reply"]
            case .typed(let type): ["--reply-type", type.text]
            }
        return ["handle", scheme.spelling, "--exec", line] + replying + permission
    }

    /// The claim that makes the bus start the handler, with the `ipc-server` that belongs to this program.
    func claim(isDefault: Bool, allowsReserved: Bool) throws -> StoredClaim {
        StoredClaim(
            application: try ApplicationID(commandFor: scheme), schemes: [scheme],
            command: try words(try Programs.server(beside: try Programs.client())), isDefault: isDefault,
            allowsReserved: allowsReserved, takesDescriptors: true)
    }

    private static let (reply, exec) = ("--reply-type=", "--exec=")

    /// Reads a registration; nil if `handle` has not written it.
    init?(_ application: ApplicationID, _ facts: RegistrationFacts) {
        guard facts.schemes.count == 1, (try? ApplicationID(commandFor: facts.schemes[0])) == application,
            let words = facts.command?.words,
            let reply = words.lazy.compactMap({ $0.dropping(Self.reply) }).first,
            let line = words.lazy.compactMap({ $0.dropping(Self.exec) }).first
        else { return nil }
        self.init(scheme: facts.schemes[0], line: line, reply: CommandReply(argument: reply) ?? .automatic)
    }

    init(scheme: URLScheme, line: String, reply: CommandReply) {
        (self.scheme, self.line, self.reply) = (scheme, line, reply)
    }

    /// All handlers that `handle` has registered for this user, sorted by scheme.
    static func registered() throws(IPCError) -> [CommandHandler] {
        try DesktopRegistration.all(in: .ofProcess).compactMap { CommandHandler($0.application, $0.facts) }
            .sorted { $0.scheme < $1.scheme }
    }

    /// The handler that `handle` has registered for a scheme; nil if there is none.
    static func registered(for scheme: URLScheme) throws(IPCError) -> CommandHandler? {
        try registered().first { $0.scheme == scheme }
    }
}

extension String {
    /// The rest of the text after a prefix; nil if the text does not start with it.
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
