import ArgumentParser
import IPC
import IPCDesktop
import IPCModel
import IPCTools

struct Handle: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "handle", abstract: "Run a shell command for every URL of a scheme.",
        discussion: """
            From now on, /bin/sh runs the command once for each request, also after a reboot, and also for a link in a \
            browser. The content of the request is the command's standard input. Its environment has IPC_URL, \
            IPC_SOURCE, IPC_TYPE, IPC_ID and the other variables of 'ipc-server --exec'. Exit code 0 means that the \
            request is handled; any other one, that it has failed. With --reply, the output is the reply; without it, \
            the output goes to the log of the bus. Requests are handled one after another. The bus starts the command, \
            so give files by absolute paths.

            The command is a claim of the application org.swiftipc.handle.SCHEME, which 'scheme list', 'scheme policy' \
            and 'request list' show. Another command for the same scheme replaces it. A line is printed for each file \
            that has changed. --remove restores the files.

            EXAMPLES
              ipc-client handle notes --exec 'cat >> "$HOME/notes.txt"'
              ipc-client handle greet --exec 'echo "hello, $IPC_SOURCE"' --reply
              ipc-client handle shot --exec 'cat /tmp/shot.png' --reply-type image/png
              ipc-client handle --list
              ipc-client handle --remove notes
            """)

    @Argument(
        help: ArgumentHelp("The URL scheme, without a colon.", valueName: "scheme"), completion: LiveNames.schemes)
    var scheme: String?

    @Option(help: ArgumentHelp("The command, as for a shell.", valueName: "cmd"))
    var exec: String?

    @Flag(help: "Send the output as the reply: text if it is UTF-8, otherwise bytes.")
    var reply = false

    @Option(help: ArgumentHelp("Send the output as a reply of this content type.", valueName: "type"))
    var replyType: CommandReply?

    @Flag(help: "Make the command the handler even if another program handles the scheme.")
    var `default` = false

    @Flag(help: "Accept a scheme that is reserved for the system, such as http or mailto.")
    var allowReserved = false

    @Flag(help: "Remove the command of the scheme, and restore the files.")
    var remove = false

    @Flag(help: "List the schemes with their commands.")
    var list = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !list || (scheme == nil && !remove) else { throw ValidationError("--list takes no scheme.") }
        guard list || scheme != nil else { throw ValidationError("Name the scheme, or give --list.") }
        guard list || remove || exec != nil else {
            throw ValidationError("Give the command with --exec CMD, or --remove.")
        }
        guard !(list || remove) || !(exec != nil || reply || replyType != nil || self.default || allowReserved) else {
            throw ValidationError("--list and --remove take no options for a command.")
        }
        guard exec.map({ $0.contains { !$0.isWhitespace } }) ?? true else {
            throw ValidationError("The command is empty.")
        }
    }

    func run() async throws {
        guard let scheme = try scheme.map(URLScheme.init(_:)) else { return try printList() }
        if let exec {
            let reply = replyType ?? (self.reply ? .automatic : .none)
            try await register(CommandHandler(scheme: scheme, line: exec, reply: reply))
        } else {
            try await unregister(scheme)
        }
    }

    private func printList() throws {
        let handlers = try CommandHandler.registered()
        try output.printRows(handlers.map { .object($0.members) }) { isAligned in
            var table = Table("SCHEME", "REPLY", "COMMAND")
            for handler in handlers { table.add(handler.scheme.text, handler.reply.text, handler.line.onOneLine) }
            return table.text(aligned: isAligned, style: output.style)
        }
    }

    @DBusActor
    private func register(_ handler: CommandHandler) async throws {
        let claim = try handler.claim(isDefault: self.default, allowsReserved: allowReserved)
        let id = claim.application
        let earlier = try CommandHandler.registered(for: handler.scheme)
        let stored = try await store(claim, for: handler.scheme)
        let replaced = earlier == handler ? nil : earlier
        try output.print(
            .object(
                handler.members + [
                    JSONValue.Member("application", .string(id.text)),
                    JSONValue.Member("replaced", replaced.map { .object($0.members) } ?? .null),
                    JSONValue.Member("files", stored.links?.files.json ?? .array([])),
                ]), text: stored.links?.files.lines)
        if let replaced {
            try output.tell(
                "Replaced", "\(handler.scheme) was handled by another command until now: \(replaced.line)")
        }
        try output.warn(of: stored, for: id, by: "handle")
    }

    @DBusActor
    private func store(_ claim: StoredClaim, for scheme: URLScheme) async throws -> StoredClaim.Stored {
        let app = try await broker.connect()
        do { return try await claim.store(app) } catch let error as IPCError where error.code == .timedOut {
            throw ToolFailure(error).adding(
                "the broker may still store the claim; run the command again, or 'ipc-client handle --remove \(scheme)'"
            )
        }
    }

    @DBusActor
    private func unregister(_ scheme: URLScheme) async throws {
        let id = try ApplicationID(commandFor: scheme)
        let app = try await broker.connect()
        let claim = try await app.handlers(of: scheme).first { $0.application == id.text }
        guard try CommandHandler.registered(for: scheme) != nil || isHalf(claim) else {
            try output.print(.object(["scheme": .string(scheme.text), "files": .array([])]), text: nil)
            return try output.warn(
                "NotHandled",
                "no command of 'ipc-client handle' handles \(scheme), so nothing was changed; 'ipc-client handle --list' "
                    + "lists all, and 'ipc-client scheme list \(scheme)' the claims of other programs")
        }
        let (files, _) = try await StoredClaim.remove(app, [scheme], of: id)
        if claim?.isDefault ?? false { try await app.setDefault(nil, for: scheme) }
        try output.print(.object(["scheme": .string(scheme.text), "files": files.json]), text: files.lines)
        try output.warnOfKept(files)
        try await output.warnOfWaiting(app, for: id)
    }

    /// Whether a claim is all that an interrupted `handle` has left: it stores the claim before it writes the files.
    private func isHalf(_ claim: Handler?) throws -> Bool {
        guard let claim, claim.kind == "persistent" else { return false }
        return try !DesktopRegistration.all(in: .ofProcess).contains { $0.application.text == claim.application }
    }
}

extension CommandHandler {
    /// The members of the JSON object that describes the handler.
    var members: [JSONValue.Member] {
        [
            JSONValue.Member("scheme", .string(scheme.text)), JSONValue.Member("exec", .string(line)),
            JSONValue.Member("reply-type", .string(reply.text)),
        ]
    }
}
