/// A rule for the input. It checks the whole text after a change, so it does not matter whether the change was a key, a
/// paste or a deletion, or where in the text it happened.
public struct EntryRule: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// At most this many digits; leading zeros are kept.
        case digits(most: Int)
        /// A whole number of at most this many digits, with grouping: 1,234.
        case number(digits: Int)
        /// A number with 1 to this many decimal places, and with grouping: 1,234.5.
        case decimal(places: Int)
        /// An amount in yen: ¥1,234.
        case yen
        /// A time of day in the locale's short style: 14:05 or 2:05 PM.
        case time
        /// yyyy/MM/dd, and yyyy/MM/dd HH:mm.
        case date, datetime
    }

    public let kind: Kind
    public let locale: EntryLocale

    public init(_ kind: Kind, _ locale: EntryLocale = .japanese) { (self.kind, self.locale) = (kind, locale) }

    /// Returns the text to show after a change; `nil` if it cannot become a valid answer. Full-width characters are
    /// accepted like any others, spaces at both ends of a paste are ignored, and empty text is always allowed.
    public func shape(_ text: String) -> String? { draft(text.narrow)?.text }

    /// Returns the answer, formatted by Foundation; `nil` while the text is incomplete, or if there is no such date.
    public func finish(_ text: String) -> EntryAnswer? { draft(text.narrow)?.answer }

    private func draft(_ text: String) -> EntryDraft? {
        switch kind {
        case .digits(let most): EntryDraft(digits: text.trimmed, most: most)
        case .number(let digits): Amount(text, digits: digits)?.draft(locale.grouped, locale.grouped)
        case .decimal(let places):
            Amount(text, places: places)?.draft(locale.grouped) { locale.decimal($0, places: places) }
        case .yen: Amount(yen: text)?.draft(locale.yen, locale.yen)
        case .time: locale == .japanese ? EntryDraft(time: text) : EntryDraft(halfDayTime: text)
        case .date: DigitGroups(text, .date)?.draft(\.date)
        case .datetime: DigitGroups(text, .datetime)?.draft(\.dateAndTime)
        }
    }
}

/// A complete entry.
public struct EntryAnswer: Sendable, Hashable {
    /// The text as it is displayed, such as 2:05 PM.
    public let text: String
    /// The value for programs: digits as they are, a number without grouping, or a time or date of ISO 8601.
    public let value: String
}

/// A text that is being entered: as it is displayed, and as an answer if it is complete.
struct EntryDraft {
    let text: String
    let answer: EntryAnswer?
}

extension EntryDraft {
    init?(digits: String, most: Int) {
        guard digits.isDigits, digits.count <= most else { return nil }
        self.init(text: digits, answer: digits.isEmpty ? nil : EntryAnswer(text: digits, value: digits))
    }
}

extension EntryRule: CustomStringConvertible {
    /// A description of the expected input for the user.
    public var description: String {
        func atMost(_ count: Int, _ noun: String) -> String { "at most \(count) \(noun)\(count == 1 ? "" : "s")" }
        return switch kind {
        case .digits(let most): atMost(most, "digit")
        case .number(let most): "a whole number of \(atMost(most, "digit"))"
        case .decimal(let places): "a number with \(atMost(places, "decimal place"))"
        case .yen: "an amount in yen\(example("1234"))"
        case .time: "a time of day\(example(locale == .japanese ? "1405" : "205pm"))"
        case .date: "a date\(example("20261231"))"
        case .datetime: "a date and a time\(example("202612311405"))"
        }
    }

    /// What is wrong with a text that is not an answer, for the user.
    public var flaw: String {
        switch kind {
        case .date, .datetime: "incomplete, or there is no such date"
        case .time: "incomplete, or there is no such time"
        case .digits, .number, .decimal, .yen: "incomplete"
        }
    }

    private func example(_ typed: String) -> String { finish(typed).map { ", such as \($0.text)" } ?? "" }
}
