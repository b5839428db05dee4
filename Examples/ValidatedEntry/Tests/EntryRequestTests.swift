import EntryRules
import Testing

@Suite struct EntryRequestTests {
    @Test(
        arguments: [
            ("entry://digits?n=4", .digits(most: 4)), ("entry://DIGITS?x=1&n=64", .digits(most: 64)),
            ("entry://decimal?places=1", .decimal(places: 1)), ("entry://decimal", .decimal(places: 2)),
            ("entry://yen", .yen(.suffix)), ("entry://yen?sign=¥", .yen(.sign)),
            ("entry://yen?sign=%C2%A5", .yen(.sign)),
            ("entry://yen?sign=%EF%BF%A5", .yen(.sign)), ("entry://yen?sign=円", .yen(.suffix)), ("other://time", .time),
        ] as [(String, EntryRule)])
    func `a URL names a rule`(url: String, rule: EntryRule) throws {
        #expect(try EntryRule(url: url) == rule)
    }

    @Test(arguments: [
        ("entry://digits", "n must be a number from 1 to 64"), ("entry://digits?n=0", "not “0”"),
        ("entry://digits?n=65", "not “65”"), ("entry://digits?n=four", "not “four”"),
        ("entry://decimal?places=3", "from 1 to 2"), ("entry://yen?sign=$", "not “$”"),
        ("entry://date", "unknown kind of entry “date”"), ("entry:time", "does not say what to enter"),
    ])
    func `any other URL is rejected with the reason`(url: String, reason: String) {
        let error = #expect(throws: InvalidEntryRequest.self) { try EntryRule(url: url) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
