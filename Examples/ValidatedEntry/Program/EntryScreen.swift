import EntryRules
import IPC
import Terminal

/// Asks the person at a terminal to answer `entry:` URLs, one question at a time.
@MainActor
final class EntryScreen {
    private let terminal: Terminal
    private var form: Form { didSet { draw() } }
    /// The rule of the question, and the task that waits for its answer.
    private var asked: (rule: EntryRule, waiter: CheckedContinuation<EntryAnswer?, Never>)?

    init(_ terminal: Terminal, scheme: String) {
        self.terminal = terminal
        form = Form(
            title: "listening for \(scheme): URLs",
            hint: "Enter submits the answer   Escape declines   Control-C exits")
        draw()
    }

    private func draw() { terminal.show(form.canvas(size: terminal.size)) }

    /// Adds a message below the field. Only as many are kept as fit on a large screen.
    func say(_ text: String) { form.messages = (form.messages + [text]).suffix(100) }

    /// Asks the question of the URL in the request, and returns the input.
    ///
    /// If the sender cancels the request or no longer waits, the library cancels the task, and the question disappears.
    /// If the user gives no answer, the outcome is `cancelled`.
    func answer(_ request: OpenURLRequest) async throws -> [PasteboardItem] {
        let rule = try EntryRule(request.host, request.parameters)
        terminal.forgetTyped()
        form.question = "\(request.source) asks for \(rule)"
        form.field = LineEditor()
        let entered = await withTaskCancellationHandler {
            await withCheckedContinuation { asked = (rule, $0) }
        } onCancel: {
            Task { @MainActor in self.end(nil) }
        }
        guard let entered else { throw OpenURLRequest.Answer.cancelled }
        return [try entered.item]
    }

    /// Ends the question with this answer, or with none.
    private func end(_ entered: EntryAnswer?) {
        guard let waiter = asked?.waiter else { return }
        asked = nil
        form.messages += [form.question, entered == nil ? "Not answered." : "Answered."]
        (form.question, form.field) = ("", nil)
        waiter.resume(returning: entered)
    }

    /// Handles keys until the program is asked to exit, or the screen is closed.
    ///
    /// - Returns: the signal that asked for it.
    func run() async -> Int32? {
        for await event in terminal.events {
            if case .interrupted(let signal) = event {
                end(nil)
                return signal
            }
            take(event)
        }
        return nil
    }

    private func take(_ event: TerminalEvent) {
        guard let rule = asked?.rule, var line = form.field else { return draw() }
        switch event {
        case .key(.escape): end(nil)
        case .key(.control("d")) where line.text.isEmpty: end(nil)
        case .key(.enter): if let entered = rule.finish(line.text) { end(entered) } else { terminal.ring() }
        case .key, .paste:
            if line.apply(event), let shaped = rule.shape(line) { form.field = shaped } else { terminal.ring() }
        case .resized, .resumed, .interrupted: draw()
        }
    }

    /// Restores the terminal, and prints the messages on it.
    func close() {
        terminal.close()
        for message in form.messages { print(message.visible) }
    }
}
