import EntryRules
import IPC
import Testing

@Suite struct EntryRequestTests {
    private func rule(_ url: String) throws -> EntryRule {
        let parts = try URLParts(of: url)
        return try EntryRule(parts.host, parts.parameters)
    }

    @Test(
        arguments: [
            ("entry://digits?n=4", .digits(most: 4)), ("entry://DIGITS?x=1&n=64", .digits(most: 64)),
            ("entry://number?n=15", .number(digits: 15)), ("entry://decimal?places=1", .decimal(places: 1)),
            ("entry://decimal", .decimal(places: 2)), ("entry://yen", .yen), ("other://time", .time),
            ("entry://date", .date), ("entry://datetime", .datetime),
        ] as [(String, EntryRule.Kind)])
    func `a URL names a rule and perhaps a locale`(url: String, kind: EntryRule.Kind) throws {
        #expect(try rule(url) == EntryRule(kind, .japanese))
        for locale in EntryLocale.allCases {
            let other = url + (url.contains("?") ? "&" : "?") + "locale=\(locale.rawValue)"
            #expect(try rule(other) == EntryRule(kind, locale))
        }
    }

    @Test(arguments: [
        ("entry://digits", "n must be a number from 1 to 64"), ("entry://digits?n=0", "not “0”"),
        ("entry://digits?n=65", "not “65”"), ("entry://digits?n=four", "not “four”"),
        ("entry://number?n=16", "from 1 to 15, not “16”"), ("entry://decimal?places=3", "from 1 to 2"),
        ("entry://euro", "unknown kind of entry “euro”; use entry://number"),
        ("entry:time", "use entry://number?n=4, digits"),
        ("entry://yen?locale=de_DE", "locale must be ja_JP or en_US, not “de_DE”"),
    ])
    func `any other URL is rejected with the reason`(url: String, reason: String) {
        let error = #expect(throws: InvalidEntryRequest.self) { try rule(url) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `the reply has the displayed text, and the value for programs`() throws {
        let time = try #require(EntryRule(.time, .american).finish("205p")?.item)
        #expect(time.string == "2:05\u{202F}PM")
        #expect(try time.value(String.self) == "14:05")
        let number = try #require(EntryRule(.decimal(places: 2)).finish("1234.5")?.item)
        #expect(try number.string == "1,234.5" && number.value(Double.self) == 1234.5)
        #expect(try EntryRule(.yen).finish("¥1,234")?.item.value(Int.self) == 1234)
    }
}
