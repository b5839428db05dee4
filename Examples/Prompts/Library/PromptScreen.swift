public import IPC
internal import Terminal

/// Asks the person at a terminal the questions of URLs, one at a time.
@MainActor
public final class PromptScreen<Question: Prompt> {
    /// A question, the request that asks it, and the task that waits for the reply.
    private struct Asked {
        let request: RequestID
        var question: Question
        let waiter: CheckedContinuation<[PasteboardItem], any Error>
    }

    private let terminal: Terminal
    private let title: String
    private var asked: Asked?
    /// Whether the program has stopped reading keys. A request that arrives later must not wait for an answer.
    private var isOver = false
    private var lines: [String] = []

    private init(_ terminal: Terminal, title: String) {
        (self.terminal, self.title) = (terminal, title)
        draw()
    }

    /// Answers the URLs of a scheme until the person exits, or the command does. Use this in `Program.run`.
    ///
    /// - Parameters:
    ///   - id: the application id.
    ///   - command: a shell command to run at the same time; its output appears on the terminal.
    /// - Returns: the exit status of the command, or 0. If a signal asks the program to exit, it ends by that signal.
    public static func serve(id: ApplicationID, _ scheme: URLScheme, running command: String?) async throws -> Int32 {
        let terminal = try Terminal.open()
        let screen = PromptScreen(terminal, title: "listening for \(scheme): URLs")
        defer { screen.close() }
        let app = try await Application.connect(id: id, schemes: [scheme])
        let keys = Task {
            let signal = await screen.run()
            try await app.stopReceiving()
            return signal
        }
        let script = command.map { command in
            Task {
                let status = await ShellCommand.run(command) { screen.keep([$0]) }
                terminal.close()
                return status
            }
        }
        for try await request in app.openURLs { await request.handle { try await screen.ask($0) } }
        await app.close()
        if let signal = try await keys.value {
            screen.close()
            terminal.end(by: signal)
        }
        return await script?.value ?? 0
    }

    /// Asks the question of a request, and returns the reply.
    ///
    /// If the sender cancels the request or stops waiting, the library cancels the task, and the question disappears.
    private func ask(_ request: OpenURLRequest) async throws -> [PasteboardItem] {
        let question = try Question(request)
        guard !isOver else { throw CancellationError() }
        terminal.forgetTyped()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                asked = Asked(request: request.id, question: question, waiter: waiter)
                draw()
            }
        } onCancel: {
            Task { @MainActor in if self.asked?.request == request.id { self.end(nil) } }
        }
    }

    /// Closes the question with this reply, or without one.
    private func end(_ reply: [PasteboardItem]?) {
        guard let asked else { return }
        self.asked = nil
        keep(asked.question.record(reply))
        asked.waiter.resume(with: reply.map { .success($0) } ?? .failure(CancellationError()))
    }

    /// Passes events to the question until a signal asks the program to exit, or the terminal is closed. Then closes an
    /// open question.
    /// - Returns: the signal; `nil` if the terminal was closed.
    private func run() async -> Int32? {
        defer {
            isOver = true
            end(nil)
        }
        for await event in terminal.events {
            switch event {
            case .interrupted(let signal): return signal
            case .key, .paste: take(event)
            case .resized, .resumed: draw()
            }
        }
        return nil
    }

    private func take(_ event: TerminalEvent) {
        switch asked?.question.take(event) {
        case .answered(let reply): return end(reply)
        case .declined: return end(nil)
        case .rejected: terminal.ring()
        case .open, nil: break
        }
        draw()
    }

    /// Adds lines that stay on the terminal. Only the last 1,000 are kept.
    private func keep(_ new: [String]) {
        lines = (lines + new).suffix(1_000)
        draw()
    }

    /// Draws the last lines, and the question over them. Six rows below the lines stay free for a question.
    private func draw() {
        var canvas = Canvas(size: terminal.size)
        canvas.fill(row: 0, style: .reversed)
        canvas.write(" " + title, at: Position(row: 0, column: 0), style: .reversed)
        let last = canvas.size.rows - 1
        for (row, line) in lines.suffix(max(0, last - 7)).enumerated() {
            canvas.write(line, at: Position(row: 2 + row, column: 0))
        }
        canvas.write(" ^C: quit", at: Position(row: last, column: 0), style: .dim)
        terminal.show(asked?.question.over(canvas) ?? canvas)
    }

    /// Restores the terminal, and prints the lines on it.
    private func close() {
        terminal.close()
        for line in lines { print(line.visible) }
        lines = []
    }
}
