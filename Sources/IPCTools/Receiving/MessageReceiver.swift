private import Glibc
internal import IPC
private import IPCModel

private import class IPCDBus.DBusActor

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
        await app.onBusLost { [output] in output.tellBusLost() }
        if !options.callbacks { await app.setCallbackSchemes(.none) }
        await app.onCallbackFailure { [output] in try? output.warn("CallbackFailed", $0.description) }
        let conflicts = try await claim(with: app)
        for conflict in conflicts {
            try output.warn("Conflict", conflict.sentence(for: application))
        }
        try output.tell("Listening", "listening as \(application) for \(schemes.joined(separator: ", "))")
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

    private func claim(with app: Application) async throws -> [Handler] {
        do { return try await app.register(schemes, window: options.window) } catch {
            guard error.code == .reservedScheme else { throw error }
            throw ToolFailure.reserved(schemes)
        }
    }

    /// Takes one message after the other and has as many answered at a time as the window says.
    private func receive(from app: Application) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var taken: UInt64 = 0
            var inHand: UInt32 = 0
            while taken != options.count, let request = try await next(from: app) {
                taken += 1
                // What comes behind the last one belongs to the next receiver, and goes back unseen.
                if taken == options.count { try? await app.stopReceiving() }
                try await printed(request)
                group.addTask { try await work(on: request) }
                inHand += 1
                guard inHand == options.window else { continue }
                try await group.next()
                inHand -= 1
            }
            // After a signal others may have what is not in hand yet.
            if taken != options.count { try? await app.stopReceiving() }
            try await group.waitForAll()
        }
    }

    private func next(from app: Application) async throws -> OpenURLRequest? {
        try await stop.wait(untilSignal: 1) {
            var requests = app.openURLs.makeAsyncIterator()
            return try await requests.next()
        }
    }

    /// Prints the message before it is answered: what was answered has been seen. One that nobody could see is left to
    /// the next receiver.
    private func printed(_ request: OpenURLRequest) async throws {
        do throws(ToolFailure) { try print(request) } catch {
            await request.handBack()
            throw error
        }
    }

    private func work(on request: OpenURLRequest) async throws {
        // A command that has not begun does not begin any more.
        if options.command != nil && stop.hasCome(2) {
            await request.handBack()
        } else {
            try await answer(request)
        }
    }

    private func answer(_ request: OpenURLRequest) async throws {
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
}
