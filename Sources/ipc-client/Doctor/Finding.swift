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

    /// What can be found, as programs read it.
    enum Word: String, Sendable, CaseIterable {
        case runtimeDirectoryMissing = "runtime-directory-missing"
        case runtimeDirectoryForeign = "runtime-directory-foreign"
        case runtimeDirectoryOpen = "runtime-directory-open"
        case busAddressMissing = "bus-address-missing"
        case busUnreachable = "bus-unreachable"
        case busIsSystem = "bus-is-system"
        case storeElsewhere = "store-elsewhere"
        case configurationWrong = "configuration-wrong"
        case configurationUnreadable = "configuration-unreadable"
        case storeForeign = "store-foreign"
        case storeOpen = "store-open"
        case storeGone = "store-gone"
        case storeNoFolder = "store-no-folder"
        case storeReadOnly = "store-read-only"
        case storeFull = "store-full"
        case storeDamaged = "store-damaged"
        case storeInUse = "store-in-use"
        case serviceMalformed = "service-malformed"
        case serviceName = "service-name"
        case serviceUnknownToBus = "service-unknown-to-bus"
        case serviceElsewhere = "service-elsewhere"
        case serviceWithoutProgram = "service-without-program"
        case serviceRelativeProgram = "service-relative-program"
        case serviceProgramMissing = "service-program-missing"
        case serviceUnitMissing = "service-unit-missing"
        case brokerNotActivatable = "broker-not-activatable"
        case brokerStartFailed = "broker-start-failed"
        case brokerSilent = "broker-silent"
        case brokerReplaced = "broker-replaced"
        case brokerVersion = "broker-version"
        case limitNear = "limit-near"
        case claimUnstartable = "claim-unstartable"
        case handlerFails = "handler-fails"
        case registrationWithoutClaim = "registration-without-claim"
        case registrationWithoutEntry = "registration-without-entry"
        case entryWithoutClaim = "desktop-entry-without-claim"
        case entriesSeveral = "desktop-entries-several"
        case entryWithoutURL = "desktop-entry-without-url"
        case entryProgramMissing = "desktop-entry-program-missing"
        case cacheStale = "desktop-cache-stale"
        case defaultWithoutEntry = "desktop-default-without-entry"
    }

    let level: Level
    /// A ``Word``, or the name of the check if all is right.
    let word: String
    /// A sentence that starts with a small letter and has no full stop.
    let sentence: String
    /// A line of shell that mends it; nil where there is nothing to mend.
    let command: String?

    static func ok(_ word: String, _ sentence: String) -> Finding {
        Finding(level: .ok, word: word, sentence: sentence, command: nil)
    }

    static func note(_ word: Word, _ sentence: String, mend command: String) -> Finding {
        Finding(level: .note, word: word.rawValue, sentence: sentence, command: command)
    }

    static func problem(_ word: Word, _ sentence: String, mend command: String) -> Finding {
        Finding(level: .problem, word: word.rawValue, sentence: sentence, command: command)
    }

    /// A problem, or a note if nothing fails yet.
    static func finding(isProblem: Bool, _ word: Word, _ sentence: String, mend command: String) -> Finding {
        isProblem ? .problem(word, sentence, mend: command) : .note(word, sentence, mend: command)
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
