import ArgumentParser
import IPC
import IPCTools

struct Open: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "open", abstract: "Open a URL and wait for the answer.",
        discussion: """
            A reply of the receiver goes to standard output, byte for byte; the outcome is the exit code. The first \
            SIGINT, SIGTERM or SIGHUP calls the request off and waits for its outcome, the second one ends the command.

            With --queue it does not wait: the id goes to standard output, exit code 0 means that the request is on \
            the disk, and 'requests wait ID' tells the outcome.

            What no application has registered goes to the desktop's own handler, without content: 'ipc-client resolve \
            URL' tells which one that is.

            EXAMPLES
              ipc-client open IPCServer.demo:hello
              ipc-client open --pasteboard demo.IPCClient IPCServer.demo:again
              ipc-client open https://example.org/
              ipc-client open --to com.example.Viewer 'mailto:somebody@example.com'
              ipc-client open --queue --time-to-live 1d com.example.notes:sync
            """)

    @Argument(help: "The URL; it arrives unchanged.", completion: LiveNames.urls)
    var url: String

    @Option(
        help: ArgumentHelp("Send what is on this pasteboard now.", valueName: "board"), completion: LiveNames.boards)
    var pasteboard: String?

    @OptionGroup var request: RequestOptions
    @OptionGroup var queueing: QueueOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try request.checkEnvironment()
        let app = try await request.connect(queueing)
        let board = try pasteboard.map { (name) throws(IPCError) in try Pasteboard(named: name, of: app) }
        let response = try await request.outcome(of: app, queueing) { (options) throws(IPCError) in
            try await app.open(url, on: board, options: options)
        }
        try OutcomeReport(response, url: url, waited: request.waitingTime).tell(output)
        await request.warnOfAbsence(response, url, of: app, output)
    }
}
