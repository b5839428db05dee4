package import IPC
private import IPCModel

private import class IPCDBus.DBusActor

/// The handler of `ipc-server` and `ipc-client listen`: registers schemes, prints messages and answers them.
package struct MessageReceiver: Sendable {
    private let application: ApplicationID
    private let schemes: [URLScheme]
    private let options: ReceiverOptions
    private let output: OutputOptions
    private let stop = StopSignal()

    package init(
        application: String, schemes: [String], _ options: ReceiverOptions, _ output: OutputOptions
    ) throws(IPCError) {
        self.application = try ApplicationID(application)
        self.schemes = try schemes.map(URLScheme.init(_:))
        (self.options, self.output) = (options, output)
    }

    /// Receives messages until `--count` is reached or a signal arrives.
    package func run() async throws {
        stop.listen()
        // Writing to a closed output, or to a command that does not read its input, must fail and not kill the process.
        stop.ignoreClosedOutput()
        let app = try await Application.connect(id: application)
        await app.onBusLost { [output] in output.tellBusLost() }
        if !options.callbacks { await app.setCallbackSchemes(.none) }
        await app.onCallbackFailure { [output] in try? output.warn("CallbackFailed", $0.description) }
        for conflict in try await app.register(
            schemes, window: options.window, allowReserved: options.allowReserved)
        {
            try output.warn("Conflict", conflict.sentence(for: application.text))
        }
        try output.tell("Listening", "listening as \(application) for \(schemes.map(\.text).joined(separator: ", "))")
        do { try await receive(from: app) } catch {
            await app.close()
            throw error
        }
        await app.close()
    }

    /// Takes messages one after another, and handles up to `--window` of them at once.
    private func receive(from app: Application) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var taken: UInt64 = 0
            var inProgress: UInt32 = 0
            while taken != options.count, let request = try await next(from: app) {
                taken += 1
                // Any further messages go back to the broker unseen, for the next handler.
                if taken == options.count { try? await app.stopReceiving() }
                try await printed(request)
                group.addTask { try await work(on: request) }
                inProgress += 1
                guard inProgress == options.window else { continue }
                try await group.next()
                inProgress -= 1
            }
            // After a signal, messages that were not taken go back to the broker, for other handlers.
            if taken != options.count { try? await app.stopReceiving() }
            try await group.waitForAll()
        }
    }

    private func next(from app: Application) async throws -> OpenURLRequest? {
        try await stop.run(untilSignal: 1) {
            var requests = app.openURLs.makeAsyncIterator()
            return try await requests.next()
        }
    }

    /// Prints a message before it is answered. If printing fails, the message goes back to the broker.
    private func printed(_ request: OpenURLRequest) async throws {
        do throws(ToolFailure) {
            try output.print(.message(request), text: MessageLine.line(url: request.url, payload: request.payload))
        } catch {
            await request.handBack()
            throw error
        }
    }

    private func work(on request: OpenURLRequest) async throws {
        // After the second signal, no command is started.
        if options.command != nil && stop.hasCome(2) { return await request.handBack() }
        try await answer(request)
    }

    private func answer(_ request: OpenURLRequest) async throws {
        let (answer, reply) = try await result(of: request)
        do throws(IPCError) {
            try await request.finish(answer, replying: reply)
        } catch  where error.code == .limitExceeded {
            try await request.finish(.failed(code: "reply-too-large", message: error.message))
        }
    }

    private func result(of request: OpenURLRequest) async throws -> MessageCommand.Result {
        if options.decline { return (.declined, []) }
        if let reply = options.reply { return (.handled, [.string(reply)]) }
        guard let command = options.command else { return (.handled, []) }
        return try await stop.run(untilSignal: 2) {
            await MessageCommand(command, reply: options.replyType).handle(request)
        }
    }
}

extension Handler {
    /// A message about how this claim affects `application`, which has claimed the same scheme more recently.
    package func sentence(for application: String) -> String {
        isHandler
            ? "\(scheme) still goes to \(self.application), because its claim (\(kind)) has priority; "
                + "'ipc-client scheme default \(scheme) \(application)' changes that"
            : "\(self.application) claims \(scheme) too (\(kind)), but does not get its URLs"
    }
}

extension JSONValue {
    fileprivate static func message(_ request: OpenURLRequest) -> JSONValue {
        let payload = request.payload
        return .object([
            "id": .string(request.id.text),
            "url": .string(request.url),
            "source-application": .nonEmpty(request.source.application),
            "source-strength": .string(request.source.strength.rawValue),
            "pasteboard": payload.pasteboard.map { .string($0.text) },
            "change-count": payload.changeCount.map { .count($0) },
            "items": payload.isPresent ? .items(payload.items, most: InputFile.mostBytes) : nil,
            "annotation": request.annotation.map { JSONValue($0) },
            "attempt": .unsigned(request.attempt),
            "activation-token": request.activationToken.map { .string($0) },
        ])
    }
}
