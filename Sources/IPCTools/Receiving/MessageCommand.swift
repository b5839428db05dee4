package import IPC
private import IPCModel
private import Subprocess

/// The command of `--exec`, run once for every message. It gets the message through its environment and standard input,
/// never through its command line (I20).
struct MessageCommand: Sendable {
    private let command: ShellCommand
    private let reply: CommandReply

    init(_ line: String, reply: CommandReply) { (command, self.reply) = (ShellCommand(line: line), reply) }

    typealias Result = (answer: OpenURLRequest.Answer, reply: [PasteboardItem])

    /// Runs the command until it exits. Cancelling the request or the task stops the command and its children.
    func handle(_ request: OpenURLRequest) async -> Result {
        let work = Task { await run(request) }
        let watch = Task { if await request.waitUntilCancelled() { work.cancel() } }
        defer { watch.cancel() }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        // A command that finished its work before it could be stopped counts as successful.
        guard work.isCancelled, result.answer != .handled else { return result }
        if await request.isCancelled { return (.cancelled, []) }
        return (.failed(code: "stopped", message: "the handler was stopped"), [])
    }

    private func run(_ request: OpenURLRequest) async -> Result {
        let content = request.payload.items.first?.preferred
        do {
            let (failure, output) = try await result(content?.value ?? .bytes([]), environment(request, content))
            guard let failure else { return (.handled, try reply.items(output)) }
            return (.failed(code: failure.code, message: failure.message), [])
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            let most = InputFile.mostBytes / 1_048_576
            return (
                .failed(
                    code: "reply-too-large",
                    message: "the output of the command is too large for a reply, which may have \(most) MiB at most"),
                []
            )
        } catch {
            return (.failed(code: "exec", message: "cannot run the command: \(error)"), [])
        }
    }

    /// - Returns: why the command failed, and the output that can become a reply.
    private func result(
        _ content: Representation.Value, _ variables: [Environment.Key: String?]
    ) async throws -> (failure: (code: String, message: String)?, output: [UInt8]) {
        guard reply != .none else {
            let result = try await command.run(content, variables, output: .currentStandardError)
            return (result.terminationStatus.failure, [])
        }
        let result = try await command.run(content, variables, output: .bytes(limit: InputFile.mostBytes))
        return (result.terminationStatus.failure, result.standardOutput)
    }

    private func environment(
        _ request: OpenURLRequest, _ content: Representation?
    ) -> [Environment.Key: String?] {
        [
            // Replaces the tokens that this process inherited, which do not belong to the message.
            "XDG_ACTIVATION_TOKEN": request.activationToken,
            "DESKTOP_STARTUP_ID": request.activationToken,
            "IPC_URL": request.url,
            "IPC_SOURCE": request.source.application,
            "IPC_SOURCE_STRENGTH": request.source.strength.rawValue,
            "IPC_BOARD": request.payload.pasteboard?.text ?? "",
            "IPC_CHANGE_COUNT": request.payload.changeCount.map(String.init) ?? "",
            "IPC_TYPE": content?.type.text ?? "",
            "IPC_ID": request.id.text,
            "IPC_ATTEMPT": String(request.attempt),
        ]
    }
}

extension PasteboardItem {
    /// The representation to show to people: plain text if the item has it, otherwise the writer's first one.
    package var preferred: Representation? { types.preferred.flatMap { self[$0] } }
}

extension [ContentType] {
    /// The preferred type among an item's types; see ``PasteboardItem/preferred``.
    package var preferred: ContentType? { first(where: \.isUTF8PlainText) ?? first }
}
