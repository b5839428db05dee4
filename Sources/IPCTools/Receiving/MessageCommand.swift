package import IPC
private import IPCModel
private import Subprocess
private import SystemPackage

/// The command of `--exec`, run once for every message.
///
/// The command line is the user's own. What comes from the sender reaches it as bytes only, by environment and standard
/// input, never as part of that line (I20).
struct MessageCommand: Sendable {
    /// What the shell runs.
    let command: String

    /// An answer, and what goes back with it.
    typealias Result = (answer: OpenURLRequest.Answer, reply: [PasteboardItem])

    /// Runs the command and waits for its end. When the sender calls the request off, or the task is cancelled, the
    /// command and all that it started are ended.
    func handle(_ request: OpenURLRequest) async -> Result {
        let work = Task { try await run(request) }
        let watch = Task { if await request.cancellation() { work.cancel() } }
        defer { watch.cancel() }
        let result = await withTaskCancellationHandler {
            await outcome(of: work)
        } onCancel: {
            work.cancel()
        }
        // A command that was ended and had done its work nevertheless has done its work.
        guard work.isCancelled, result.answer != .handled else { return result }
        if await request.isCancelled { return (.cancelled, []) }
        return (.failed(code: "stopped", message: "the receiver was stopped"), [])
    }

    private func outcome(of work: Task<Result, any Error>) async -> Result {
        do { return try await work.value } catch {
            return (.failed(code: "exec", message: "the command could not be run: \(error)"), [])
        }
    }

    private func run(_ request: OpenURLRequest) async throws -> Result {
        let content = MessageContent(request.payload)
        let environment = Environment.inherit.updating(environment(request, content))
        let (status, output) = try await run(content.value, environment)
        switch status {
        case .exited(0):
            return (.handled, reply(output))
        case .exited(let code):
            return (.failed(code: "exit-\(code)", message: "the command ended with exit code \(code)"), [])
        case .signaled(let number):
            return (.failed(code: "signal-\(number)", message: "the command was ended by signal \(number)"), [])
        }
    }

    private func run(
        _ content: Representation.Value?, _ environment: Environment
    ) async throws -> (TerminationStatus, [UInt8]) {
        if case .file(let file) = content, let own = file.reopened() {
            // It reads the file itself, from its start: nothing passes through us. The descriptor has to be open until
            // the command has it.
            defer { withExtendedLifetime(own) {} }
            let result = try await Subprocess.run(
                ShellCommand.shell, arguments: ["-c", command], environment: environment,
                platformOptions: ShellCommand.platformOptions,
                input: .fileDescriptor(FileDescriptor(rawValue: own.descriptor), closeAfterSpawningProcess: false),
                output: .bytes(limit: InputFile.mostBytes), error: .currentStandardError)
            return (result.terminationStatus, result.standardOutput)
        }
        let bytes = content?.content ?? []
        let result = try await Subprocess.run(
            ShellCommand.shell, arguments: ["-c", command], environment: environment,
            platformOptions: ShellCommand.platformOptions,
            input: .inputWriter, output: .bytes(limit: InputFile.mostBytes), error: .currentStandardError
        ) { execution in
            // A command need not read its input, so a broken pipe is no failure. (Input that is given as a value ends
            // the process there: Subprocess 1.0.2 then lets its end of the pipe go unclosed, and insists on closing it.)
            _ = try? await execution.standardInputWriter.write(bytes)
            try? await execution.standardInputWriter.finish()
        }
        return (result.terminationStatus, result.standardOutput)
    }

    /// What the command printed: text where it is UTF-8, else bytes; nothing where it printed nothing.
    private func reply(_ output: [UInt8]) -> [PasteboardItem] {
        guard !output.isEmpty else { return [] }
        if let text = String(validating: output, as: UTF8.self) { return [.string(text)] }
        return [.data(output)]
    }

    private func environment(_ request: OpenURLRequest, _ content: MessageContent) -> [Environment.Key: String?] {
        [
            // Of whoever started us, these say nothing about this message.
            "XDG_ACTIVATION_TOKEN": request.activationToken,
            "DESKTOP_STARTUP_ID": request.activationToken,
            "IPC_URL": request.url,
            "IPC_SOURCE": request.source.application,
            "IPC_SOURCE_STRENGTH": request.source.strength.rawValue,
            "IPC_BOARD": request.payload.pasteboard ?? "",
            "IPC_CHANGE_COUNT": request.payload.changeCount.map(String.init) ?? "",
            "IPC_TYPE": content.type,
            "IPC_ID": request.id,
            "IPC_ATTEMPT": String(request.attempt),
        ]
    }
}

/// What a command gets of a payload: the first item, as text where it has one.
struct MessageContent: Sendable {
    /// The content type; empty where there is no payload.
    let type: String
    let value: Representation.Value?

    init(_ payload: Payload) {
        let representation = payload.items.first?.preferred
        type = representation?.type.text ?? ""
        value = representation?.value
    }
}

extension PasteboardItem {
    /// The representation that a person would want to read: plain text where there is one, else the writer's first.
    package var preferred: Representation? { types.preferred.flatMap { self[$0] } }
}

extension [ContentType] {
    /// The type of an item that a person would want to read, out of all that it has; see ``PasteboardItem/preferred``.
    package var preferred: ContentType? { first(where: \.isUTF8PlainText) ?? first }
}
