internal import FoundationEssentials
internal import FoundationInternationalization

/// The locale of an entry. Foundation formats every complete value.
public enum EntryLocale: String, Sendable, Hashable, CaseIterable {
    case japanese = "ja_JP"
    case american = "en_US"

    private var locale: Locale { Locale(identifier: rawValue) }

    /// 1,234
    func grouped(_ number: Decimal) -> String { number.formatted(.number.locale(locale)) }

    /// ¥1,234
    func yen(_ number: Decimal) -> String { number.formatted(.currency(code: "JPY").locale(locale)) }

    /// 1,234.5, with 1 to `places` decimal places.
    func decimal(_ number: Decimal, places: Int) -> String {
        number.formatted(.number.locale(locale).precision(.fractionLength(1...places)))
    }

    /// 14:05, or 2:05 PM with the narrow space U+202F.
    func shortTime(_ date: Date) -> String {
        Date.FormatStyle(date: .omitted, time: .shortened, locale: locale, calendar: .inGMT, timeZone: .gmt).format(
            date)
    }
}

/// A date and a time of day, without a time zone.
struct EntryMoment {
    private let moment: Date

    /// - Parameter numbers: year, month and day, or hour and minute, or all five.
    /// - Returns: `nil` if there is no such date, such as February 30.
    init?(_ numbers: [Int]) {
        let date = numbers.count == 2 ? [2000, 1, 1] : numbers
        let time = numbers.count == 3 ? [0, 0] : numbers.suffix(2)
        let components = DateComponents(
            calendar: .inGMT, year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1])
        guard components.isValidDate, let moment = components.date else { return nil }
        self.moment = moment
    }

    var date: EntryAnswer {
        EntryAnswer(
            text: text("\(year: .padded(4))/\(month: .twoDigits)/\(day: .twoDigits)"),
            value: text("\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits)"))
    }

    var dateAndTime: EntryAnswer { EntryAnswer(text: "\(date.text) \(time)", value: "\(date.value)T\(time)") }

    func timeOfDay(_ locale: EntryLocale) -> EntryAnswer { EntryAnswer(text: locale.shortTime(moment), value: time) }

    private var time: String {
        text("\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)")
    }

    /// The moment in a format that is the same in all locales.
    private func text(_ format: Date.FormatString) -> String {
        Date.VerbatimFormatStyle(format: format, timeZone: .gmt, calendar: .inGMT).format(moment)
    }
}

extension Calendar {
    /// The calendar for all computations: in GMT, no hour is missing or occurs twice.
    fileprivate static let inGMT = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
