import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct SchemePolicy: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "policy", abstract: "Show or set which sources may open the URLs of an application.",
        discussion: """
            Without options, prints a line for each rule: "default", "allow" or "deny", a tab, and the word or the id. \
            With options, changes the rules from the next request on. A sender is rejected if it states a denied id, \
            even without proof. "deny" takes precedence over "allow". An allowed id counts only if the bus attests \
            that the sender owns it (ipc-client owns demo.IPCClient only while it listens).

            EXAMPLES
              ipc-client scheme policy demo.IPCServer
              ipc-client scheme policy demo.IPCServer --default deny --allow com.example.Notes
              ipc-client scheme policy demo.IPCServer --deny com.example.Noisy
              ipc-client scheme policy demo.IPCServer --forget
            """)

    @Argument(
        help: ArgumentHelp("The application that gets the URLs.", valueName: "application"),
        completion: LiveNames.applications)
    var application: String

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp("Allow this source, and no longer deny it. May be repeated.", valueName: "id"),
        completion: LiveNames.applications)
    var allowed: [String] = []

    @Option(
        name: .customLong("deny"),
        help: ArgumentHelp("Deny this source, and no longer allow it. May be repeated.", valueName: "id"),
        completion: LiveNames.applications)
    var refused: [String] = []

    @Option(name: .customLong("default"), help: ArgumentHelp("The rule for all other sources.", valueName: "rule"))
    var others: Rule?

    @Flag(help: "Remove all rules first. Then all sources are allowed, unless other options set new rules.")
    var forget = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    enum Rule: String, CaseIterable, Sendable, ExpressibleByArgument {
        case allow, deny
    }

    func validate() throws {
        if let both = allowed.first(where: refused.contains) {
            throw ValidationError("\(both) cannot be both allowed and denied; give either --allow or --deny.")
        }
    }

    private var changes: Bool { forget || others != nil || !(allowed + refused).isEmpty }

    func run() async throws {
        let app = try await broker.connect()
        let id = try ApplicationID(application)
        var policy = forget ? AccessPolicy() : try await app.policy(of: id)
        if changes {
            policy = try changed(policy)
            try await app.setPolicy(policy, of: id)
        }
        try output.print(json(policy), text: changes ? nil : text(policy))
        if changes { try await warnOfAbsence(app) }
        guard needsProof(policy) else { return }
        try output.warn(
            "OwnersOnly",
            "an allowed source is accepted only if it owns the bus name of its application id, as a program does while it "
                + "receives URLs; stating the id is not enough")
    }

    /// Warns about rules for an unknown application, because the id may be misspelled.
    @DBusActor
    private func warnOfAbsence(_ app: Application) async throws {
        guard try await !app.bus.isReachable(application),
            try await !app.handlers().all().contains(where: { $0.application == application })
        else { return }
        try output.warn(
            "HandlerUnavailable",
            "the application \(application.quoted) is unknown: it is not running, the bus cannot start it, and it "
                + "claims no scheme; the rules are stored, and apply once it runs"
                + (await StatedName.application(application).clause()))
    }

    /// Whether the options have created a policy that rejects all but the allowed sources.
    func needsProof(_ policy: AccessPolicy) -> Bool {
        (others != nil || !allowed.isEmpty) && !policy.allowsOthers && !policy.allowed.isEmpty
    }

    /// Returns a policy with the changes that the options request.
    func changed(_ policy: AccessPolicy) throws(IPCError) -> AccessPolicy {
        let allowed = try self.allowed.map(ApplicationID.init(_:))
        let refused = try self.refused.map(ApplicationID.init(_:))
        var policy = policy
        if let others { policy.allowsOthers = others == .allow }
        policy.allowed = policy.allowed.subtracting(refused).union(allowed)
        policy.refused = policy.refused.subtracting(allowed).union(refused)
        return policy
    }

    func json(_ policy: AccessPolicy) -> JSONValue {
        .object([JSONValue.Member("application", .string(application))] + policy.members)
    }

    func text(_ policy: AccessPolicy) -> String {
        let rows =
            [("default", policy.rule.rawValue)] + policy.allowed.sorted().map { ("allow", $0.text) }
            + policy.refused.sorted().map { ("deny", $0.text) }
        return rows.map { "\($0)\t\($1)" }.joined(separator: "\n")
    }
}

extension AccessPolicy {
    /// The rule for sources that no list names.
    fileprivate var rule: SchemePolicy.Rule { allowsOthers ? .allow : .deny }

    /// The members of the JSON object that describes the policy, besides the application.
    var members: [JSONValue.Member] {
        [
            JSONValue.Member("default", .string(rule.rawValue)),
            JSONValue.Member("allow", .array(allowed.sorted().map { .string($0.text) })),
            JSONValue.Member("deny", .array(refused.sorted().map { .string($0.text) })),
        ]
    }
}
