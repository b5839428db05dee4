private import Glibc
internal import IPC
private import IPCModel

/// Registers schemes, prints what comes, and answers: `ipc-server`, and `ipc-client listen`.
package struct MessageReceiver: Sendable {
    private let program: String
    private let application: String
    private let schemes: [String]
    private let options: ReceiverOptions
    private let output: OutputOptions
    private let stop = StopSignal()

    /// - Parameter program: the name in front of what it says.
    package init(
        _ program: String, application: String, schemes: [String], _ options: ReceiverOptions, _ output: OutputOptions
    ) {
        self.program = program
        self.application = application
        self.schemes = schemes
        self.options = options
        self.output = output
    }

    /// Receives until the count is reached or a signal comes.
    package func run() async throws {
        stop.listen()
        // A reader that is gone, of the output or a command that does not want its input, is an error and no end.
        signal(SIGPIPE, SIG_IGN)
        let app = try await Application.connect(id: application)
        let conflicts = try await app.register(schemes)
        try warn(conflicts)
        try OutputStream.error.writeLine("listening as \(application) for \(schemes.joined(separator: ", "))")
        let failure: (any Error)?
        do {
            try await receive(from: app)
            failure = nil
        } catch {
            failure = error
        }
        await app.close()
        if let failure { throw failure }
    }

    private func receive(from app: Application) async throws {
        var answered: UInt64 = 0
        while answered != options.count {
            let next = try await stop.run(untilSignal: 1) {
                var requests = app.openURLs.makeAsyncIterator()
                return try await requests.next()
            }
            guard let request = next else { return }
            try await answer(request)
            answered += 1
        }
    }

    /// Prints the message first and answers then: what was answered has been seen.
    private func answer(_ request: OpenURLRequest) async throws {
        do throws(ToolFailure) { try print(request) } catch {
            try await request.finish(.failed(code: "output", message: "the receiver could not print the message"))
            throw error
        }
        let (answer, reply) = try await result(of: request)
        do throws(IPCError) {
            try await request.finish(answer, replying: reply)
        } catch  where error.code == .limitExceeded {
            try await request.finish(.failed(code: "reply-too-large", message: error.message))
        }
    }

    private func print(_ request: OpenURLRequest) throws(ToolFailure) {
        try output.print(.message(request), text: MessageLine.line(url: request.url, payload: request.payload))
    }

    private func result(of request: OpenURLRequest) async throws -> MessageCommand.Result {
        if options.decline { return (.declined, []) }
        if let reply = options.reply { return (.handled, [.string(reply)]) }
        guard let command = options.command else { return (.handled, []) }
        return try await stop.run(untilSignal: 2) { await MessageCommand(command: command).handle(request) }
    }

    /// Tells of schemes whose messages go to somebody else.
    private func warn(_ conflicts: [Handler]) throws(ToolFailure) {
        for other in conflicts where other.isHandler {
            try OutputStream.error.writeLine(
                "\(program): \(other.scheme) still goes to \(other.application), whose claim (\(other.kind)) comes first; "
                    + "'ipc-client default \(other.scheme) \(application)' changes that")
        }
    }
}
