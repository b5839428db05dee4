import EntryRules
import IPC
import Terminal

/// Where a person sits who answers `entry:` URLs: one question at a time, in a terminal.
struct EntryDesk {
    let terminal: Terminal

    /// Asks what the URL of the request asks for, and gives what was entered.
    ///
    /// The question goes away when its sender calls it off, or no longer waits: the library cancels the task. It is no answer to
    /// be thrown away: the sender is told `cancelled`.
    func answer(_ request: OpenURLRequest) async throws -> [PasteboardItem] {
        let rule = try EntryRule(url: request.url)
        terminal.forgetTyped()
        terminal.say("\(request.source) asks for \(rule)")
        let entry = await terminal.readLine(
            "> ", shaping: { rule.shape($0) }, isComplete: { rule.finish($0) != nil })
        guard case .line(let text) = entry, let entered = rule.finish(text) else {
            terminal.say("Nothing was given.")
            throw OpenURLRequest.Answer.cancelled
        }
        terminal.say("Given.")
        return [.string(entered)]
    }
}
