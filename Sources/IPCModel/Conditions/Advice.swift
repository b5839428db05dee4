/// What to do next, as a refusal tells who calls the bus; it ends the sentence. A tool says the same with its own commands.
package enum Advice: String, Sendable, CaseIterable {
    case makePasteboard = "make it by writing to it, or by GetPasteboard with “create”"
    case keepMoreVersions = "a higher HistoryLimit keeps earlier versions"
    case keepFewerVersions = "clear or remove pasteboards, or set lower HistoryLimits"
    case allowReserved = "say “allow-reserved” if the user wants this"
    case nameReceiver = "start one that registers it, or name the receiver by “application”"
    case leaveOutQueue = "open the URL without “queue”"
    case takeDescriptors = "if it does, register it with “fd”"
    case ownName = "own the name first, or register persistently"
}
