import ArgumentParser
import IPC
import IPCDesktop
import IPCModel
import IPCTools

struct Register: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "register", abstract: "Claim URL schemes for an application, in the broker and on the desktop.",
        discussion: """
            With --persistent the claim is stored and outlives every process. Browsers, xdg-open and gio open bring \
            such URLs here from then on: one desktop entry is written for the application, which hands them to the \
            broker by 'ipc-client open', and the default where nobody else handles the scheme. A scheme that another \
            program handles on the desktop is left to it, unless you say --default. --exec says how the bus starts the \
            application when a URL comes. Each file that has become another one is told on a line of its own; \
            'unregister' brings back what stood there before.

            With --transient the claim lasts until the end of the session: all is written below XDG_RUNTIME_DIR, where \
            the broker and the bus look, and the desktop does not.

            A claim that is neither ends with the process that makes it, which would be this command: run 'ipc-server' \
            or the application itself for that. Claims of others to the same schemes are told on standard error, with \
            what they mean.

            Content above 16 MiB can be sent, and queued, only to an application that takes it as descriptors: one that \
            uses the library of these tools does, and so do ipc-server and 'ipc-client listen'. Say so with --fd.

            EXAMPLES
              ipc-client register notes --application com.example.Notes --persistent
              ipc-client register notes --application com.example.Notes --transient
              ipc-client register n --application a.B --persistent --exec 'notes --serve'
            """)

    @Argument(help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"))
    var schemes: [String]

    @Option(help: ArgumentHelp("Who claims them.", valueName: "id"), completion: LiveNames.applications)
    var application: String

    @Flag(help: "Store the claim, and tell the desktop.")
    var persistent = false

    @Flag(help: "Keep the claim until the end of the session.")
    var transient = false

    @Option(
        help: ArgumentHelp(
            """
            The command by which the bus starts the application: words, quoted as in a shell, which does not run it.
            """, valueName: "cmd"))
    var exec: String?

    @Flag(help: "Make it the handler of these schemes also where another program is it.")
    var `default` = false

    @Flag(help: "Store the claim only: nothing is written for the desktop and the bus.")
    var noDesktop = false

    @Flag(help: "Accept schemes that belong to the system, such as http and mailto.")
    var allowReserved = false

    @Flag(
        help: """
            The application takes large payloads as descriptors, as all programs of this library do.
            """)
    var fd = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        // run() reports a wrong value, with the exit code of wrong input, before a missing option.
        guard (try? checkNames()) != nil else { return }
        guard persistent || transient else {
            throw ValidationError(
                "A claim without --persistent would end with this command; add --persistent or --transient, or start "
                    + "the application.")
        }
        guard persistent != transient else { throw ValidationError("Give either --persistent or --transient.") }
        guard !transient || !(self.default || allowReserved || noDesktop) else {
            throw ValidationError("--default, --allow-reserved and --no-desktop are for --persistent.")
        }
        guard !noDesktop || !(self.default || exec != nil) else {
            throw ValidationError(
                "--no-desktop writes nothing that --exec or --default could be in; leave it out: a desktop entry does no harm where "
                    + "there is no desktop.")
        }
    }

    /// - Throws: an error for a wrong application id or scheme.
    private func checkNames() throws {
        _ = try ApplicationID(application)
        for scheme in schemes { _ = try URLScheme(scheme) }
    }

    func run() async throws {
        try checkNames()
        // Before anything is stored.
        let command = try exec.map { (line) throws(IPCError) in try CommandWords.read(line).text }
        let app = try await Client.connect()
        guard persistent else {
            let links = try await app.desktop.registerForSession(
                schemes, for: application, command: command, takesDescriptors: fd)
            return try report(links, [])
        }
        let conflicts = try await app.register(
            schemes, for: application, persistent: true, allowReserved: allowReserved, takesDescriptors: fd)
        if self.default { for scheme in schemes { try await app.setDefault(application, for: scheme) } }
        try report(noDesktop ? nil : try await registerOnDesktop(app, command), conflicts)
    }

    @DBusActor
    private func registerOnDesktop(_ app: Application, _ command: String?) async throws -> DesktopLinks {
        var options = DesktopOptions()
        options.command = command
        options.isDefault = self.default
        options.opener = try Programs.client()
        do throws(IPCError) {
            return try await app.registerOnDesktop(schemes, for: application, options: options)
        } catch {
            throw ToolFailure(error).adding("the claim is stored; run this again, or with --no-desktop")
        }
    }

    private func report(_ links: DesktopLinks?, _ conflicts: [Handler]) throws {
        try output.print(json(links, conflicts), text: links?.files.lines)
        if !output.json {
            for conflict in conflicts {
                try output.warn("Conflict", "stored; " + conflict.sentence(for: application))
            }
        }
        for (scheme, entry) in links?.elsewhere.sorted(by: { $0.key < $1.key }) ?? [] {
            try output.warn(
                "HandledElsewhere",
                "on the desktop \(scheme) stays with \(entry); 'ipc-client register' with --default changes that")
        }
        if links?.isActivatable == false {
            try output.warn(
                "NotActivatable",
                "the bus does not look where the service file of \(application) was written; 'ipc-client doctor' tells "
                    + "more")
        }
    }

    private func json(_ links: DesktopLinks?, _ conflicts: [Handler]) -> JSONValue {
        .object([
            "application": .string(application),
            "schemes": .array(schemes.map { .string($0) }),
            "fd": fd ? .boolean(true) : nil,
            "conflicts": .array(conflicts.map(JSONValue.handler)),
            "files": links.map(\.files.json),
            "desktop": links.map { .array($0.schemes.map { .string($0) }) },
            "activatable": links?.isActivatable.map { .boolean($0) },
        ])
    }
}

extension [DesktopLinks.File] {
    /// A line for each file, with its change and its path; nil for no files.
    var lines: String? { isEmpty ? nil : map { "\($0.change) \($0.path)" }.joined(separator: "\n") }

    var json: JSONValue {
        .array(map { .object(["path": .string($0.path), "change": .string($0.change)]) })
    }
}
