import ArgumentParser
import IPC
import IPCTools

struct Open: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "open", abstract: "Open a URL and wait for the answer.",
        discussion: """
            Prints the handler's reply, byte for byte. The outcome is the exit code. The first SIGINT, SIGTERM or \
            SIGHUP cancels the request and waits for its outcome. The second one stops the command.

            With --queue, the command does not wait: it prints the id of the request, and exit code 0 means that the \
            request is on disk. 'request wait ID' waits for the outcome.

            If no application has registered the scheme, the desktop's default handler gets the URL, without content. \
            'ipc-client scheme resolve URL' shows which handler that is.

            EXAMPLES
              ipc-client open IPCServer.demo:hello
              ipc-client open --pasteboard demo.IPCClient IPCServer.demo:again
              ipc-client open https://example.org/
              ipc-client open --to com.example.Viewer 'mailto:somebody@example.com'
              ipc-client open --queue --time-to-live 1d com.example.notes:sync
            """)

    @Argument(help: "The URL. It arrives unchanged.", completion: LiveNames.urls)
    var url: String

    @Option(
        help: ArgumentHelp("Send the current content of this pasteboard.", valueName: "board"),
        completion: LiveNames.boards)
    var pasteboard: String?

    @OptionGroup var request: RequestOptions
    @OptionGroup var queueing: QueueOptions
    @OptionGroup var output: OutputOptions

    @Flag(
        help: """
            If the URL is not handled, and standard error is not a terminal, show a notification on the desktop. The \
            desktop entries of 'scheme register' and 'handle' use this.
            """)
    var notify = false

    var statedNames: [StatedName] { [.url(url)] + request.statedNames }

    func run() async throws {
        var accepted: RequestID?
        do { try await open(&accepted) } catch {
            if notify, !OutputStream.error.isTerminal, let failure = ToolFailure(any: error) {
                await FailureNotice(failure, url: url, request: accepted).show()
            }
            throw error
        }
    }

    /// Opens the URL, and sets `accepted` to the id of the request once there is an outcome.
    @DBusActor
    private func open(_ accepted: inout RequestID?) async throws {
        try request.checkEnvironment()
        let app = try await request.connect(queueing)
        let board = try pasteboard.map { (name) throws(IPCError) in Pasteboard(named: try PasteboardName(name), of: app)
        }
        let response = try await request.outcome(of: app, queueing) { (options) throws(IPCError) in
            try await app.open(url, on: board, options: options)
        }
        accepted = response.id
        try OutcomeReport(response, url: url, waited: request.waitingTime).tell(output)
        await request.warnOfAbsence(response, url, of: app, output)
    }
}
