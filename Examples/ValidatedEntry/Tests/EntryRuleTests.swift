import EntryRules
import Testing

@Suite struct EntryRuleTests {
    private let decimal = EntryRule(.decimal(places: 2))
    private static let kinds: [EntryRule.Kind] = [
        .digits(most: 12), .number(digits: 12), .decimal(places: 2), .yen, .time, .date, .datetime,
    ]
    private static let rules = EntryLocale.allCases.flatMap { locale in kinds.map { EntryRule($0, locale) } }

    @Test(arguments: rules)
    func `clearing is always allowed, and an empty entry is not an answer`(rule: EntryRule) {
        #expect(rule.shape("") == "")
        #expect(rule.finish("") == nil)
        #expect(rule.shape(" \u{3000}") == "")
        for wrong in ["x", "1a2", "٣", "一", "1 2", "\u{1F1EF}\u{1F1F5}", "1::2", "1e5"] {
            #expect(rule.shape(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `digits are limited in number and keep leading zeros`() {
        let rule = EntryRule(.digits(most: 4))
        #expect(rule.shape("0012") == "0012")
        #expect(rule.shape("１２") == "12")
        #expect(rule.shape(" 12\n") == "12")
        #expect(rule.shape("12345") == nil)
        #expect(rule.shape("1.5") == nil)
        #expect(rule.finish("0")?.text == "0")
    }

    @Test func `numbers have separators and no leading zeros`() {
        let rule = EntryRule(.number(digits: 4))
        for (typed, shown) in ["0": "0", "00": "0", "0012": "12", "1234": "1,234", "12,34": "1,234", ",": ""] {
            #expect(rule.shape(typed) == shown)
        }
        for wrong in ["12345", "1.5", "-1", "¥1"] { #expect(rule.shape(wrong) == nil, "\(wrong)") }
    }

    @Test func `decimals have one or two places`() {
        #expect(decimal.shape("12.34") == "12.34")
        #expect(decimal.shape("12.345") == nil)
        #expect(EntryRule(.decimal(places: 1)).shape("12.34") == nil)
        #expect(decimal.shape("１２．３") == "12.3")
        #expect(decimal.shape("１２。３") == "12.3")
        #expect(decimal.shape(".5") == "0.5")
        #expect(decimal.shape("1234567.50") == "1,234,567.50")
        #expect(decimal.shape("1.2.3") == nil)
        #expect(decimal.finish("12.") == nil)
        #expect(decimal.finish("12")?.text == "12.0")
        #expect(decimal.finish("007.50")?.text == "7.5")
        #expect(decimal.shape(String(repeating: "9", count: 15)) != nil)
        #expect(decimal.shape(String(repeating: "9", count: 16)) == nil)
    }

    @Test func `yen amounts have separators and a sign`() {
        let yen = EntryRule(.yen)
        for (typed, shown) in ["1": "1", "999": "999", "1000": "1,000", "1234567": "1,234,567", "00": "0", "007": "7"] {
            #expect(yen.shape(typed) == "¥\(shown)")
        }
        #expect(yen.shape("￥１，２３４") == "¥1,234")
        #expect(yen.shape("12,34円") == "¥1,234")
        #expect(yen.shape("¥") == "", "the last digit was deleted")
        #expect(yen.shape("1円2") == nil && yen.shape("1.5") == nil)
        #expect(yen.finish("1234") == EntryRule(.yen, .american).finish("1234"))
    }

    @Test func `a 24-hour time is typed digit by digit`() {
        let time = EntryRule(.time)
        for (count, text) in ["1", "14", "14:0", "14:05"].enumerated() {
            #expect(time.shape(String("1405".prefix(count + 1))) == text)
        }
        #expect(time.shape("905") == "9:05")
        #expect(time.shape("1:30") == "1:30", "a colon ends the hour")
        #expect(time.shape("130") == "13:0")
        #expect(time.shape("１４：０５") == "14:05")
        #expect(time.shape("14時05分") == "14:05")
        #expect(time.shape(":05") == ":05", "the hour was deleted")
        for wrong in ["30:", "14:60", "14050", "14:05分1", "1:2:3", "分14", "2:05 PM"] {
            #expect(time.shape(wrong) == nil, "\(wrong)")
        }
        #expect(time.finish("14:0")?.text == "14:00")
        #expect(time.finish("0905")?.text == "9:05")
        #expect(time.finish("14") == nil && time.finish("14:") == nil && time.finish(":05") == nil)
    }

    /// Returns what the field shows if a person types these characters one by one.
    private func typed(_ text: String, _ rule: EntryRule) -> String {
        text.reduce("") { shown, character in rule.shape(shown + String(character)) ?? shown }
    }

    @Test func `a value that is too large is shown as it was typed, and is not an answer`() {
        let cases: [(EntryRule.Kind, EntryLocale, String)] = [
            (.time, .japanese, "24:00"), (.time, .japanese, "29:59"), (.time, .american, "14:05\u{202F}PM"),
            (.time, .american, "13:00\u{202F}AM"), (.date, .japanese, "2026/13/01"), (.date, .american, "2026/12/32"),
            (.datetime, .japanese, "2026/12/31 24:00"),
        ]
        for (kind, locale, text) in cases {
            let rule = EntryRule(kind, locale)
            #expect(typed(text, rule) == text)
            #expect(rule.finish(text) == nil, "\(text)")
        }
        #expect(typed("2400", EntryRule(.time)) == "24:00")
        // For comparison: no hour begins with 3 and has two digits.
        #expect(typed("300", EntryRule(.time)) == "3:00" && EntryRule(.time).finish("300")?.text == "3:00")
    }

    @Test func `a Japanese half day gives the hour of 24`() {
        let time = EntryRule(.time)
        let (shown, answers) = (
            ["午後2時5分": "午後2:5", "午前0時00分": "午前0:00", "午後1159": "午後11:59", "午後12時30分": "午後12:30"],
            ["午後2時5分": "14:05", "午前0時00分": "0:00", "午後1159": "23:59", "午後２：０５": "14:05"]
        )
        for (text, field) in shown { #expect(typed(text, time) == field, "\(text)") }
        for (text, answer) in answers {
            #expect(time.finish(text)?.text == answer, "\(text)")
            #expect(time.finish(typed(text, time))?.text == answer, "\(text), typed")
        }
        #expect(time.finish("午後12:30") == nil && time.finish("午後13:30") == nil && time.finish("午後") == nil)
        for wrong in ["後2:05", "午2:05", "午前後2", "2午後"] { #expect(time.shape(wrong) == nil, "\(wrong)") }
        #expect(EntryRule(.time, .american).shape("午後2:05") == nil)
    }

    @Test func `only a date or a time can be missing in the calendar or on the clock`() {
        #expect(EntryRule(.date).flaw.contains("no such date") && EntryRule(.time).flaw.contains("no such time"))
        for kind in [.digits(most: 4), .number(digits: 4), decimal.kind, .yen] as [EntryRule.Kind] {
            #expect(EntryRule(kind).flaw == "incomplete")
        }
    }

    @Test func `a 12-hour time ends with AM or PM`() {
        let time = EntryRule(.time, .american)
        for (count, text) in ["2", "2:0", "2:05", "2:05\u{202F}P", "2:05\u{202F}PM"].enumerated() {
            #expect(time.shape(String("205pm".prefix(count + 1))) == text)
        }
        for typed in ["2:05 PM", "2:05\u{202F}PM", "０２０５ｐｍ", "205p", " 2:5 pM "] {
            #expect(time.finish(typed)?.text == "2:05\u{202F}PM", "\(typed)")
            #expect(time.finish(typed)?.value == "14:05")
        }
        #expect(time.finish("12:00 AM")?.value == "00:00" && time.finish("12:00 PM")?.value == "12:00")
        #expect(time.finish("2:05") == nil && time.finish("0:05 AM") == nil && time.finish("PM") == nil)
        for wrong in ["2:05 XM", "2:05 APM", "2:05 PM1", "20:"] { #expect(time.shape(wrong) == nil, "\(wrong)") }
    }

    @Test func `dates need no separators while they are typed`() {
        let (date, datetime) = (EntryRule(.date), EntryRule(.datetime, .american))
        #expect(date.shape("20260228") == "2026/02/28")
        #expect(date.shape("2026228") == "2026/2/28")
        #expect(date.shape("2026-2") == "2026/2")
        #expect(date.shape("２０２６・２・") == "2026/2/")
        #expect(date.shape("2026//28") == "2026//28", "the month was deleted")
        #expect(date.finish("2026/2/8")?.text == "2026/02/08")
        #expect(date.finish("2026/2/8")?.value == "2026-02-08")
        #expect(datetime.shape("202602281405") == "2026/02/28 14:05")
        #expect(datetime.shape("2026/2/3 ") == "2026/2/3 ", "a blank ends the day")
        #expect(datetime.shape("2026/2/314") == "2026/2/31 4")
        #expect(date.shape("2026/2/405") == nil && datetime.shape("2026/2/405") == "2026/2/4 05")
        #expect(datetime.finish("2026-02-28T9:5")?.text == "2026/02/28 09:05")
        #expect(datetime.finish("2026-02-28T9:5")?.value == "2026-02-28T09:05")
        for wrong in ["20260240", "2026/20/", "2026/1/2/3", "2026/1/2 3", "2026年"] {
            #expect(date.shape(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a date that does not exist is not an answer`() {
        let dates = [
            "2026/02/30", "2025/02/29", "2026/00/10", "2026/04/31", "2026/1/0", "0000/01/01", "26/1/1", "1582/10/10",
        ]
        for wrong in dates {
            #expect(EntryRule(.date).shape(wrong) == wrong, "it can still be corrected")
            #expect(EntryRule(.date).finish(wrong) == nil, "\(wrong)")
            #expect(EntryRule(.datetime).finish(wrong + " 10:00") == nil, "\(wrong)")
        }
        #expect(EntryRule(.date).finish("2024/02/29") != nil)
        #expect(EntryRule(.datetime).finish("2026/02/28") == nil, "no time")
    }

    @Test(arguments: rules)
    func `a formatted entry stays unchanged`(rule: EntryRule) {
        for number in stride(from: 0, to: 3000, by: 7) {
            let (front, back) = (number / 100, number % 100)
            for text in ["\(number)", "0\(number)", "\(front).\(back)", "\(front):\(back)", "2\(number)", "\(number)p"]
            {
                guard let shaped = rule.shape(text) else { continue }
                #expect(rule.shape(shaped) == shaped, "\(text)")
                if let given = rule.finish(shaped) { #expect(rule.finish(given.text) == given) }
            }
        }
    }
}
