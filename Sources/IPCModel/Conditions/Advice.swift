/// The next step that an error message suggests at its end, in D-Bus terms. Each tool has its own wording.
package enum Advice: String, Sendable, CaseIterable {
    case makePasteboard = "create it by writing to it, or with GetPasteboard and “create”"
    case keepMoreVersions = "a higher HistoryLimit keeps earlier versions"
    case keepFewerVersions = "clear or remove pasteboards, or set lower HistoryLimits"
    case allowReserved = "set “allow-reserved” if the user wants this"
    case nameHandler = "start a handler that registers it, or name the handler with “application”"
    case leaveOutQueue = "open the URL without “queue”"
    case takeDescriptors = "if it does, register it with “fd”"
    case ownName = "own the name first, or register persistently"

    /// The same advice in terms of the library's API.
    package var ofLibrary: String {
        switch self {
        case .makePasteboard: "create it with “pasteboard(named:create:)” and “create: true”"
        case .keepMoreVersions: "“setHistoryLimit(_:)” keeps more earlier versions"
        case .keepFewerVersions: "clear or remove pasteboards, or keep fewer versions with “setHistoryLimit(_:)”"
        case .allowReserved: "pass “allowReserved: true” if the user wants this"
        case .nameHandler: "start a handler that registers it, or name the handler with “OpenOptions.application”"
        case .leaveOutQueue: "open the URL without “isQueued”"
        case .takeDescriptors: "if it does, register it with “takesDescriptors: true”"
        case .ownName: "connect with the schemes, or register persistently"
        }
    }
}

extension String {
    /// Rewords only the advice at the end of an error message, because the rest may quote arbitrary text.
    package func replacingAdvice(_ old: KeyPath<Advice, String>, _ new: (Advice) -> String) -> String {
        guard let advice = Advice.allCases.first(where: { hasSuffix($0[keyPath: old]) }) else { return self }
        return dropLast(advice[keyPath: old].count) + new(advice)
    }
}
