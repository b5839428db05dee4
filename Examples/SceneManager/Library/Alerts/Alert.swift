public import Terminal

/// A question that lies over a scene until it is answered.
public struct Alert: Sendable, Hashable {
    /// An answer, and the key that gives it.
    public struct Choice: Sendable, Hashable {
        public let label: String
        /// In lower case.
        public let key: Character

        public init(_ label: String, key: Character) { (self.label, self.key) = (label, key) }
    }

    /// What a key makes of it.
    public enum Progress: Sendable, Hashable {
        case open
        /// The place of the choice.
        case answered(Int)
    }

    public let title: String
    public let message: String
    public let choices: [Choice]
    /// The place of the one that Enter takes.
    public private(set) var selected: Int
    /// The place of the one that Escape takes.
    public let harmless: Int

    /// - Parameter harmless: the choice that changes nothing; it is selected at first.
    public init(_ title: String, message: String, choices: [Choice], harmless: Int) {
        precondition(choices.indices.contains(harmless), "an alert needs a choice that does no harm")
        (self.title, self.message, self.choices) = (title, message, choices)
        (self.harmless, selected) = (harmless, harmless)
    }

    /// Asks before something is lost.
    public static func confirming(_ title: String, message: String, doing verb: String) -> Alert {
        Alert(title, message: message, choices: [Choice(verb, key: "y"), Choice("Keep", key: "n")], harmless: 1)
    }

    /// What ``confirming(_:message:doing:)`` was answered.
    public static let confirmed = 0

    /// Takes a key; those that mean nothing here change nothing, so that nobody answers by what he types.
    public mutating func press(_ key: Key) -> Progress {
        switch key {
        case .enter: return .answered(selected)
        case .escape: return .answered(harmless)
        case .left, .backTab: selected = (selected + choices.count - 1) % choices.count
        case .right, .tab: selected = (selected + 1) % choices.count
        case .character(let character):
            let pressed = character.lowercased()
            if let place = choices.firstIndex(where: { String($0.key) == pressed }) { return .answered(place) }
        default: break
        }
        return .open
    }
}
