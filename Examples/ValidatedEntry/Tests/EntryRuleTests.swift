import EntryRules
import Testing

@Suite struct EntryRuleTests {
    private let decimal = EntryRule.decimal(places: 2)

    @Test(arguments: [.digits(most: 4), .decimal(places: 2), .yen(.sign), .yen(.suffix), .time] as [EntryRule])
    func `clearing is always allowed, and an empty entry is not an answer`(rule: EntryRule) {
        #expect(rule.shape("") == "")
        #expect(rule.finish("") == nil)
        #expect(rule.shape(" \u{3000}") == "")
        for wrong in ["a", "-1", "1a", "٣", "一", "1 2", "\u{1F1EF}\u{1F1F5}"] {
            #expect(rule.shape(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `digits are limited in number and keep leading zeros`() {
        let rule = EntryRule.digits(most: 4)
        #expect(rule.shape("0012") == "0012")
        #expect(rule.shape("１２") == "12")
        #expect(rule.shape(" 12\n") == "12")
        #expect(rule.shape("12345") == nil)
        #expect(rule.shape("1.5") == nil)
        #expect(rule.finish("0") == "0")
    }

    @Test func `decimals have one or two places`() {
        #expect(decimal.shape("12.34") == "12.34")
        #expect(decimal.shape("12.345") == nil)
        #expect(EntryRule.decimal(places: 1).shape("12.34") == nil)
        #expect(decimal.shape("１２．３") == "12.3")
        #expect(decimal.shape("１２。３") == "12.3")
        #expect(decimal.shape(".5") == "0.5")
        #expect(decimal.shape("007.50") == "7.50")
        #expect(decimal.shape("1.2.3") == nil)
        #expect(decimal.shape("1,5") == nil)
        #expect(decimal.finish("12.") == nil)
        #expect(decimal.finish("12") == "12")
        #expect(decimal.shape(String(repeating: "9", count: 15)) != nil)
        #expect(decimal.shape(String(repeating: "9", count: 16)) == nil)
    }

    @Test func `yen amounts have separators and a sign or suffix`() {
        let (sign, suffix) = (EntryRule.yen(.sign), EntryRule.yen(.suffix))
        let amounts = ["1": "1", "999": "999", "1000": "1,000", "1234567": "1,234,567", "00": "0", "007": "7"]
        for (typed, shown) in amounts {
            #expect(sign.shape(typed) == "¥\(shown)")
            #expect(suffix.shape(typed) == "\(shown)円")
        }
        #expect(suffix.shape("￥１，２３４") == "1,234円")
        #expect(sign.shape("12,34円") == "¥1,234")
        #expect(suffix.shape("円") == "", "the last digit was deleted")
        #expect(suffix.shape("1円2") == nil)
        #expect(suffix.shape("1.5") == nil)
        #expect(suffix.finish("1234") == "1,234円")
    }

    @Test func `a 24-hour time is typed digit by digit`() {
        let shown = ["1", "14", "14時0", "14時05分"]
        for (count, text) in shown.enumerated() {
            #expect(EntryRule.time.shape(String("1405".prefix(count + 1))) == text)
        }
        #expect(EntryRule.time.shape("905") == "9時05分")
        #expect(EntryRule.time.shape("24") == "2時4")
        #expect(EntryRule.time.shape("1時30") == "1時30分", "時 ends the hour")
        #expect(EntryRule.time.shape("130") == "13時0")
        #expect(EntryRule.time.shape("１４：０５") == "14時05分")
        #expect(EntryRule.time.shape("14時05分") == "14時05分")
        #expect(EntryRule.time.shape("14時0分") == "14時0", "a digit was deleted")
        #expect(EntryRule.time.shape("時05分") == "05", "the hour was deleted")
        for wrong in ["29", "24時", "14時60", "14時6", "14050", "14時05分1", "1:2:3", "分14"] {
            #expect(EntryRule.time.shape(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a time has two digits of minutes`() {
        #expect(EntryRule.time.finish("14時0") == "14時00分")
        #expect(EntryRule.time.finish("0905") == "9時05分")
        #expect(EntryRule.time.finish("2359") == "23時59分")
        #expect(EntryRule.time.finish("14") == nil)
        #expect(EntryRule.time.finish("14時") == nil)
    }

    @Test(arguments: [.digits(most: 9), .decimal(places: 2), .yen(.sign), .yen(.suffix), .time] as [EntryRule])
    func `a formatted entry stays unchanged`(rule: EntryRule) {
        for number in stride(from: 0, to: 3000, by: 7) {
            let (front, back) = (number / 100, number % 100)
            for text in ["\(number)", "0\(number)", "\(front).\(back)", "\(front)時\(back)"] {
                guard let shaped = rule.shape(text) else { continue }
                #expect(rule.shape(shaped) == shaped, "\(text)")
                if let given = rule.finish(shaped) { #expect(rule.finish(given) == given) }
            }
        }
    }
}
