import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct Call: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "call", abstract: "Open a URL and print the reply.",
        discussion: """
            Prints the first item of the reply, byte for byte, as plain text if the item has it. The outcome is the \
            exit code. If the outcome is not a success, standard error shows the handler's message and code. Content \
            is sent with the URL, and is not stored on a pasteboard. Without text or --file, no content is sent. The \
            first SIGINT, SIGTERM or SIGHUP cancels the request and waits for its outcome. The second one stops the \
            command.

            To an x-callback-url (SCHEME://x-callback-url/ACTION?PARAMETERS), the command adds x-source, x-success, \
            x-error and x-cancel after its parameters. For the callbacks, it registers a scheme for the duration of \
            the call. The first result counts: a reply, or a callback. The reply of a callback is its parameter \
            "result" or, if it has none, all its parameters as a JSON object.

            EXAMPLES
              ipc-client call IPCServer.demo:question
              ipc-client call com.example.notes:search "buy milk" --timeout 2m
              ipc-client call 'IPCServer.demo://x-callback-url/echo?text=hello'
            """)

    @Argument(help: "The URL. It arrives unchanged, except for added callbacks.", completion: LiveNames.urls)
    var url: String

    @Argument(
        help: ArgumentHelp(
            "Text to send with the URL; words are joined by spaces. With \"-\", standard input is sent.",
            valueName: "text"))
    var words: [String] = []

    @Option(help: ArgumentHelp("Send the content of this file instead.", valueName: "path"), completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            """
            The content type, MIME or UTI. (default: UTF-8 text, or application/octet-stream if the content is not text)
            """, valueName: "type"), completion: .list(Content.commonTypes))
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The scheme of the callbacks. If another application handles it, a unique scheme is derived from it.",
            valueName: "scheme"))
    var callbackScheme = "IPCClient.demo"

    @OptionGroup var request: RequestOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.url(url)] + request.statedNames }

    func validate() throws {
        guard file == nil || words.isEmpty else {
            throw ValidationError("Give either text or --file, not both.")
        }
        guard type == nil || file != nil || !words.isEmpty else {
            throw ValidationError("--type needs content; give text or --file.")
        }
    }

    func run() async throws {
        try request.checkEnvironment()
        let items = try items()
        let app = try await request.connect()
        let (options, scheme) = (try request.openOptions(), try URLScheme(callbackScheme))
        let result: Result<CallReply, CallFailure>
        do throws(CallFailure) {
            result = .success(
                try await app.cancelling(options.id ?? .random()) { () async throws(CallFailure) in
                    try await app.call(url, callbackScheme: scheme, sending: items, options: options)
                })
        } catch { result = .failure(error) }
        try CallReport(result, url: url, waited: request.waitingTime, scheme: callbackScheme).tell(output)
    }

    func items() throws -> [PasteboardItem]? {
        guard file != nil || !words.isEmpty else { return nil }
        let value: Representation.Value =
            if let file {
                try InputFile.read(file, trimmingNewline: false)
            } else if words == ["-"] {
                try InputFile.readStandardInput(trimmingNewline: false)
            } else {
                .bytes(Array(words.joined(separator: " ").utf8))
            }
        return [try PasteboardItem([Content.representation(value, try type.map(Content.newType))])]
    }
}

struct CallReport: Sendable {
    private let result: Result<CallReply, CallFailure>
    private let url: String
    private let waited: String
    private let scheme: String

    init(_ result: Result<CallReply, CallFailure>, url: String, waited: String, scheme: String = "") {
        (self.result, self.url, self.waited, self.scheme) = (result, url, waited, scheme)
    }

    func tell(_ output: OutputOptions) throws(ToolFailure) {
        switch result {
        case .success(let reply):
            guard output.json else { return try reply.items.writeFirst() }
            try output.write(json(reply.response, .handled, reply.items))
        case .failure(let failure):
            guard let outcome = failure.outcome else { throw refusal(failure) }
            if output.json { try output.write(json(failure.response, outcome, [], failure)) }
            throw ToolFailure(
                name: outcome.rawValue, message: output.json ? "" : sentence(failure), exit: outcome.exit)
        }
    }

    private func refusal(_ failure: CallFailure) -> ToolFailure {
        guard case .refused(let error) = failure.reason else { return .usage(failure.description) }
        return error.code == .reservedScheme ? .reserved([scheme]) : ToolFailure(error)
    }

    /// The broker's response as JSON or, if there is none, the result that arrived through a callback URL.
    func json(
        _ response: OpenURLResponse?, _ outcome: Outcome, _ items: [PasteboardItem], _ failure: CallFailure? = nil
    ) -> JSONValue {
        if let response { return OutcomeReport(response, url: url, waited: waited).json }
        var words: (code: String, message: String)?
        if case .failed(let code, let message) = failure?.reason { words = (code, message) }
        return .object([
            "url": .string(url),
            "outcome": .string(outcome.rawValue),
            "callback": .boolean(true),
            "reply": .items(items),
            "error-code": words.map { .string($0.code) },
            "error-message": words.map { .string($0.message) },
        ])
    }

    private func sentence(_ failure: CallFailure) -> String {
        if let response = failure.response {
            return OutcomeReport(response, url: url, waited: waited).sentence
        }
        guard case .failed(let code, let message) = failure.reason else { return failure.description.asTold }
        return "the handler failed: " + (message.isEmpty ? code.asTold : "\(message.asTold) (\(code.asTold))")
    }
}
