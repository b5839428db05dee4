import EntryRules
import IPC
import Terminal

/// Asks the person at a terminal to answer `entry:` URLs, one question at a time.
struct EntryDesk {
    let terminal: Terminal

    /// Asks the question of the URL in the request, and returns the input.
    ///
    /// If the sender cancels the request or no longer waits, the library cancels the task, and the question disappears.
    /// If the user gives no answer, the outcome is `cancelled`.
    func answer(_ request: OpenURLRequest) async throws -> [PasteboardItem] {
        let rule = try EntryRule(url: request.url)
        terminal.forgetTyped()
        terminal.say("\(request.source) asks for \(rule)")
        let entry = await terminal.readLine(
            "> ", shaping: { rule.shape($0) }, isComplete: { rule.finish($0) != nil })
        guard case .line(let text) = entry, let entered = rule.finish(text) else {
            terminal.say("Not answered.")
            throw OpenURLRequest.Answer.cancelled
        }
        terminal.say("Answered.")
        return [.string(entered)]
    }
}
