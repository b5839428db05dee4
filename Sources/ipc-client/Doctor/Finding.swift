import IPCModel
import IPCTools

/// What a check has to say.
struct Finding: Sendable, Hashable {
    /// How bad it is.
    enum Level: String, Sendable, CaseIterable {
        /// It is as it should be.
        case ok
        /// It works, and may surprise somebody.
        case note
        /// It does not work, or will not the next time.
        case problem
    }

    let level: Level
    /// A word for programs: what was found, or the name of the check where all is right.
    let word: String
    /// A sentence that starts with a small letter and has no full stop.
    let sentence: String
    /// A line of shell that mends it; nil where there is nothing to mend.
    let command: String?

    static func ok(_ word: String, _ sentence: String) -> Finding {
        Finding(level: .ok, word: word, sentence: sentence, command: nil)
    }

    static func note(_ word: String, _ sentence: String, mend command: String) -> Finding {
        Finding(level: .note, word: word, sentence: sentence, command: command)
    }

    static func problem(_ word: String, _ sentence: String, mend command: String) -> Finding {
        Finding(level: .problem, word: word, sentence: sentence, command: command)
    }
}

extension Finding {
    var json: JSONValue {
        .object([
            "level": .string(level.rawValue), "finding": .string(word), "message": .string(sentence),
            "command": command.map { .string($0) },
        ])
    }

    /// For people two lines, the second one to be copied; for programs one with tabs between.
    func text(aligned: Bool, style: Style) -> String {
        guard aligned else {
            return [level.rawValue, word, sentence.onOneLine, (command ?? "").onOneLine].joined(separator: "\t")
        }
        let name = level == .problem ? style.red(level.rawValue) : level.rawValue
        let blanks = String(repeating: " ", count: Self.width - level.rawValue.count)
        let first = "\(name)\(blanks)\(style.bold(word)): \(sentence.onOneLine)"
        guard let command else { return first }
        return first + "\n" + String(repeating: " ", count: Self.width) + command
    }

    /// The longest level and a gap.
    private static let width = 9
}
