import ArgumentParser
import IPC
import IPCDesktop
import IPCModel
import IPCTools

struct SchemeRegister: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "register", abstract: "Claim URL schemes for an application, in the broker and on the desktop.",
        discussion: """
            With --persistent, the claim is stored and outlives every process. Browsers, xdg-open and gio open can \
            then open such URLs: the command writes a desktop entry that passes them to the broker with 'ipc-client \
            open', and makes it the default for schemes that no other program handles. If another program \
            handles a scheme on the desktop, that program keeps it, unless you give --default. --exec sets the command \
            with which the bus starts the application for a URL: a program that receives URLs itself. To run a command \
            for each URL, use 'ipc-client handle'. 'scheme register' prints a line for each file that it \
            changes. 'scheme unregister' restores the files.

            With --transient, the claim lasts until the end of the session. All files are in XDG_RUNTIME_DIR, where \
            the broker and the bus look, but the desktop does not.

            Without one of these options, a claim would last only as long as the process that makes it, which is this \
            command. To make such a claim, run 'ipc-server' or the application itself. If other applications claim the \
            same schemes, standard error shows which application gets the URLs.

            Content above 16 MiB can be sent or queued only for an application that accepts descriptors. Applications \
            that use the library of these tools do, and so do ipc-server and 'ipc-client listen'. For such an \
            application, add --fd.

            EXAMPLES
              ipc-client scheme register notes --application com.example.Notes --persistent
              ipc-client scheme register notes --application com.example.Notes --transient
              ipc-client scheme register n --application a.B --persistent --exec 'notes --serve'
            """)

    @Argument(help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"))
    var schemes: [String]

    @Option(
        help: ArgumentHelp("The application that claims them.", valueName: "id"), completion: LiveNames.applications)
    var application: String

    @Flag(help: "Store the claim, and register it on the desktop.")
    var persistent = false

    @Flag(help: "Keep the claim until the end of the session.")
    var transient = false

    @Option(
        help: ArgumentHelp(
            """
            The command with which the bus starts the application: words, quoted as in a shell, but no shell runs them.
            """, valueName: "cmd"))
    var exec: String?

    @Flag(help: "Make the application the handler even of schemes that another program handles.")
    var `default` = false

    @Flag(help: "Store only the claim, and write no files for the desktop or the bus.")
    var noDesktop = false

    @Flag(help: "Accept schemes that are reserved for the system, such as http and mailto.")
    var allowReserved = false

    @Flag(
        help: """
            Declare that the application accepts large payloads as descriptors. All programs that use this library do.
            """)
    var fd = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        // An invalid name is reported by run() with the exit code for wrong input, even if an option is missing, too.
        guard (try? checkedNames()) != nil else { return }
        guard persistent || transient else {
            throw ValidationError(
                "A claim without --persistent would end with this command; add --persistent or --transient, or start "
                    + "the application.")
        }
        guard persistent != transient else {
            throw ValidationError("Give either --persistent or --transient, not both.")
        }
        guard !transient || !(self.default || allowReserved || noDesktop) else {
            throw ValidationError("--default, --allow-reserved and --no-desktop need --persistent.")
        }
        guard !noDesktop || !(self.default || exec != nil) else {
            throw ValidationError(
                "--exec and --default need the files that --no-desktop does not write; leave out --no-desktop: a "
                    + "desktop entry does no harm without a desktop.")
        }
    }

    private func checkedNames() throws(IPCError) -> (ApplicationID, [URLScheme]) {
        (try ApplicationID(registering: application), try schemes.map(URLScheme.init(_:)))
    }

    func run() async throws {
        let (id, schemes) = try checkedNames()
        // Rejects an invalid command before anything is stored.
        let command = try exec.map { (line) throws(IPCError) in try CommandWords.read(line) }
        let app = try await broker.connect()
        if let command { try warnOfUtilities(command) }
        guard persistent else {
            let links = try await app.desktop.registerForSession(
                schemes, for: id, command: command?.text, takesDescriptors: fd)
            return try report(StoredClaim.Stored(links: links, conflicts: []), for: id)
        }
        let claim = StoredClaim(
            application: id, schemes: schemes, command: command, isDefault: self.default,
            allowsReserved: allowReserved, takesDescriptors: fd, writesFiles: !noDesktop)
        try report(try await claim.store(app), for: id)
    }

    /// Warns about a command that is not a receiver: the bus would wait in vain for it to own the application's name.
    private func warnOfUtilities(_ command: CommandWords) throws(ToolFailure) {
        guard let utilities = ReceiverRule.utilities(of: command) else { return }
        let what = utilities.isEmpty ? "nothing" : "only \(utilities.joined(separator: ", "))"
        try output.warn(
            "NotReceiver",
            "\(command.text) does not look like a program that receives URLs, because it runs \(what); to run a command "
                + "for each URL, use 'ipc-client handle \(schemes[0]) --exec CMD'")
    }

    private func report(_ stored: StoredClaim.Stored, for id: ApplicationID) throws {
        try output.print(json(stored), text: stored.links?.files.lines)
        try output.warn(of: stored, for: id, by: "scheme register")
    }

    private func json(_ stored: StoredClaim.Stored) -> JSONValue {
        let links = stored.links
        return .object([
            "application": .string(application),
            "schemes": .array(schemes.map { .string($0) }),
            "fd": fd ? .boolean(true) : nil,
            "conflicts": .array(stored.conflicts.map(JSONValue.handler)),
            "files": links.map(\.files.json),
            "desktop": links.map { .array($0.schemes.map { .string($0.text) }) },
            "activatable": links?.isActivatable.map { .boolean($0) },
        ])
    }
}
