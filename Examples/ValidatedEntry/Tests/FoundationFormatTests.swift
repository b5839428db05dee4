import EntryRules
import Foundation
import Testing

/// Entries are displayed exactly as Foundation's formatters print them.
@Suite struct FoundationFormatTests {
    private static let numbers = (0...14).flatMap { power -> [Int] in
        let ten = (0..<power).reduce(1) { product, _ in product * 10 }
        return [ten - 1, ten, ten + 7, ten / 3 * 2]
    }
    private static let dates = [0, 951_782_340, 1_709_164_800, 1_772_291_999, -2_208_988_800, 4_102_444_799].map {
        Date(timeIntervalSince1970: $0)
    }

    private func formatter(_ locale: EntryLocale, _ style: NumberFormatter.Style) -> NumberFormatter {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: locale.rawValue)
        formatter.numberStyle = style
        return formatter
    }

    private func formatter(_ locale: EntryLocale) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: locale.rawValue)
        formatter.timeZone = .gmt
        formatter.isLenient = false
        return formatter
    }

    @Test(arguments: EntryLocale.allCases)
    func `numbers and amounts, while they are typed and complete`(locale: EntryLocale) {
        let (plain, currency) = (formatter(locale, .decimal), formatter(locale, .currency))
        currency.currencyCode = "JPY"
        for number in Self.numbers {
            let rules = [(EntryRule(.number(digits: 15), locale), plain), (EntryRule(.yen, locale), currency)]
            for (rule, formatter) in rules {
                let printed = formatter.string(from: number as NSNumber)
                #expect(rule.shape("\(number)") == printed)
                #expect(rule.finish("\(number)")?.text == printed)
                #expect(rule.finish("\(number)")?.value == "\(number)")
                #expect(rule.finish(printed ?? "")?.text == printed)
            }
        }
    }

    @Test(arguments: EntryLocale.allCases)
    func `decimals with one or two places`(locale: EntryLocale) {
        for places in 1...2 {
            let rule = EntryRule(.decimal(places: places), locale)
            let formatter = formatter(locale, .decimal)
            (formatter.minimumFractionDigits, formatter.maximumFractionDigits) = (1, places)
            for number in Self.numbers where number < 10_000_000_000_000 {
                for fraction in ["", ".0", ".5", ".25", ".40", ".09"] where fraction.count <= places + 1 {
                    let typed = "\(number)\(fraction)"
                    let printed = formatter.string(from: NSDecimalNumber(string: typed))
                    #expect(rule.finish(typed)?.text == printed, "\(typed)")
                }
            }
        }
    }

    @Test(arguments: EntryLocale.allCases)
    func `every minute of a day in the short style`(locale: EntryLocale) {
        let rule = EntryRule(.time, locale)
        let short = formatter(locale)
        (short.dateStyle, short.timeStyle) = (.none, .short)
        for minute in 0..<24 * 60 {
            let printed = short.string(from: Date(timeIntervalSince1970: Double(minute * 60)))
            #expect(rule.shape(printed) == printed)
            #expect(rule.finish(printed)?.text == printed)
            #expect(rule.finish(printed.replacing("\u{202F}", with: " "))?.text == printed, "with a normal blank")
            let (hours, minutes) = (minute / 60, minute % 60)
            #expect(rule.finish(printed)?.value == "\(hours / 10)\(hours % 10):\(minutes / 10)\(minutes % 10)")
        }
        let midnight = locale == .japanese ? "0:00" : "12:00\u{202F}AM"
        #expect(short.string(from: Date(timeIntervalSince1970: 0)) == midnight)
    }

    @Test(
        arguments: EntryLocale.allCases,
        [(EntryRule.Kind.date, "yyyy/MM/dd"), (.datetime, "yyyy/MM/dd HH:mm")])
    func `dates in a fixed format`(locale: EntryLocale, format: (kind: EntryRule.Kind, text: String)) {
        let rule = EntryRule(format.kind, locale)
        let formatter = formatter(locale)
        formatter.dateFormat = format.text
        for date in Self.dates {
            let printed = formatter.string(from: date)
            #expect(rule.finish(printed)?.text == printed)
            #expect(rule.finish(printed.filter(\.isNumber))?.text == printed, "typed without separators")
        }
        for day in 1...31 {
            for month in 1...12 {
                let typed = "2026/\(month)/\(day)" + (format.kind == .date ? "" : " 23:59")
                let printed = formatter.date(from: typed).map(formatter.string)
                #expect(rule.finish(typed)?.text == printed, "\(typed)")
            }
        }
    }
}
