package import IPC
private import IPCModel
private import Subprocess

/// The command of `--exec`, run once for every message. It gets the message through its environment and standard input,
/// never through its command line (I20).
struct MessageCommand: Sendable {
    private let command: ShellCommand

    init(_ line: String) { command = ShellCommand(line: line) }

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
            let result = try await command.run(
                content?.value ?? .bytes([]), environment(request, content), output: .bytes(limit: InputFile.mostBytes))
            guard let failure = result.terminationStatus.failure else {
                return (.handled, reply(result.standardOutput))
            }
            return (.failed(code: failure.code, message: failure.message), [])
        } catch {
            return (.failed(code: "exec", message: "cannot run the command: \(error)"), [])
        }
    }

    /// The command's output as a reply: text if it is UTF-8, otherwise bytes.
    private func reply(_ output: [UInt8]) -> [PasteboardItem] {
        guard !output.isEmpty else { return [] }
        if let text = String(validating: output, as: UTF8.self) { return [.string(text)] }
        return [.data(output)]
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
