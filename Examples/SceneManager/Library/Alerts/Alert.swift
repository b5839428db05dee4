public import Terminal

/// A question that covers a scene until it is answered.
public struct Alert: Sendable, Hashable {
    /// A possible answer, and the key that gives it.
    public struct Choice: Sendable, Hashable {
        public let label: String
        /// The key, in lower case.
        public let key: Character

        public init(_ label: String, key: Character) { (self.label, self.key) = (label, key) }
    }

    /// The state of an alert after a key.
    public enum Progress: Sendable, Hashable {
        case open
        /// The index of the choice.
        case answered(Int)
    }

    public let title: String
    public let message: String
    public let choices: [Choice]
    /// The index of the choice that Enter takes.
    public private(set) var selected: Int
    /// The index of the choice that Escape takes.
    public let harmless: Int

    /// - Parameter harmless: the index of the choice that changes nothing; it is selected at first.
    public init(_ title: String, message: String, choices: [Choice], harmless: Int) {
        precondition(choices.indices.contains(harmless), "an alert needs a choice that does no harm")
        (self.title, self.message, self.choices) = (title, message, choices)
        (self.harmless, selected) = (harmless, harmless)
    }

    /// Returns an alert that asks for confirmation before something is lost.
    public static func confirming(_ title: String, message: String, doing verb: String) -> Alert {
        Alert(title, message: message, choices: [Choice(verb, key: "y"), Choice("Keep", key: "n")], harmless: 1)
    }

    /// The index of the choice that confirms, in ``confirming(_:message:doing:)``.
    public static let confirmed = 0

    /// Handles a key. Keys that have no meaning here change nothing, so that typing does not answer by accident.
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
