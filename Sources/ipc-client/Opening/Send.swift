import ArgumentParser
import IPC
import IPCTools

struct Send: PlainCommand, ClientCommand {
    static let configuration = CommandConfiguration(
        command: "send", abstract: "Put text or a file on a pasteboard and open a URL with it, in one step.",
        discussion: """
            Waits for the answer, and prints the handler's reply, byte for byte. The outcome is the exit code. If the \
            pasteboard does not exist, it is created as a persistent one. The first SIGINT, SIGTERM or SIGHUP cancels \
            the request and waits for its outcome. The second one stops the command.

            With --queue, the command does not wait: it prints the id of the request, and exit code 0 means that the \
            request is on disk. 'request wait ID' waits for the outcome.

            EXAMPLES
              ipc-client send hello
              date | ipc-client send --trim-newline
              ipc-client send --file picture.png --type image/png
              ipc-client send --url com.example.notes:add --timeout 2m "buy milk"
              id=$(ipc-client send --queue "buy milk") && ipc-client request wait $id
            """)

    @OptionGroup var content: ContentOptions

    @Option(help: ArgumentHelp("The URL to open. It arrives unchanged.", valueName: "url"), completion: LiveNames.urls)
    var url = Self.url

    @Option(help: ArgumentHelp("The pasteboard for the content.", valueName: "board"), completion: LiveNames.boards)
    var pasteboard = Self.pasteboard

    @OptionGroup var request: RequestOptions
    @OptionGroup var queueing: QueueOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.url(url)] + request.statedNames }

    private static let url = "IPCServer.demo://IPCServer.demo?key=value"
    private static let pasteboard = "demo.IPCClient"

    init() {}

    init(words: [String]) {
        content = ContentOptions(words: words)
        (url, pasteboard) = (Self.url, Self.pasteboard)
        (request, queueing, output) = (.unstated, .unstated, .unstated)
    }

    func run() async throws {
        try request.checkEnvironment()
        let item = try content.item(output)
        EarlyConnection.prepareToOpen()
        let app = try await request.connect(queueing)
        let board = Pasteboard(named: try PasteboardName(pasteboard), of: app)
        let response = try await request.outcome(of: app, queueing) { (options) throws(IPCError) in
            try await app.open(url, sending: [item], on: board, options: options)
        }
        try OutcomeReport(response, url: url, waited: request.waitingTime).tell(output)
        await request.warnOfAbsence(response, url, of: app, output)
    }
}
