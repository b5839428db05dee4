import IPCModel
import IPCTools

/// The result of a check.
struct Finding: Sendable, Hashable {
    enum Level: String, Sendable {
        case ok
        /// Something works, but may surprise the user.
        case note
        /// Something does not work, or will not work the next time.
        case problem
    }

    /// The names of the findings, for programs. `docs/tools.md` explains each.
    enum Word: String, Sendable, CaseIterable {
        case runtimeDirectoryMissing = "runtime-directory-missing"
        case runtimeDirectoryForeign = "runtime-directory-foreign"
        case runtimeDirectoryOpen = "runtime-directory-open"
        case busAddressMissing = "bus-address-missing"
        case busUnreachable = "bus-unreachable"
        case configurationWrong = "configuration-wrong"
        case storeForeign = "store-foreign"
        case storeGone = "store-gone"
        case storeReadOnly = "store-read-only"
        case storeFull = "store-full"
        case storeDamaged = "store-damaged"
        case storeInUse = "store-in-use"
        case serviceMalformed = "service-malformed"
        case serviceName = "service-name"
        case serviceUnknownToBus = "service-unknown-to-bus"
        case serviceElsewhere = "service-elsewhere"
        case serviceProgramMissing = "service-program-missing"
        case brokerNotActivatable = "broker-not-activatable"
        case brokerStartFailed = "broker-start-failed"
        case brokerSilent = "broker-silent"
        case brokerVersion = "broker-version"
        case limitNear = "limit-near"
        case claimUnstartable = "claim-unstartable"
        case handlerFails = "handler-fails"
        case registrationWithoutClaim = "registration-without-claim"
        case registrationWithoutEntry = "registration-without-entry"
        case entryProgramMissing = "desktop-entry-program-missing"
        case cacheStale = "desktop-cache-stale"
        case defaultWithoutEntry = "desktop-default-without-entry"
    }

    let level: Level
    /// A ``Word``, or the name of a check that found no problem.
    let word: String
    /// The message, which starts with a lower-case letter and has no full stop.
    let sentence: String
    /// The shell command that fixes the problem; nil if there is none.
    let command: String?

    init(_ word: Word, _ sentence: String, fix command: String, level: Level = .problem) {
        (self.level, self.word, self.sentence, self.command) = (level, word.rawValue, sentence, command)
    }

    init(ok check: String, _ sentence: String) {
        (level, word, self.sentence, command) = (.ok, check, sentence, nil)
    }

    var json: JSONValue {
        .object([
            "level": .string(level.rawValue), "finding": .string(word), "message": .string(sentence),
            "command": command.map { .string($0) },
        ])
    }

    /// The finding as tab-separated fields. On a terminal, the command is on a separate line, so that it can be copied.
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

    /// The width of the longest level, plus a gap.
    private static let width = 9
}
