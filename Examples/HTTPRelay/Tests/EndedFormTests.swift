import IPC
import Testing

@testable import HTTPRelay

/// Answers of the form `key1=value1&key2=value2&…&END`.
struct EndedFormTests {
    @Test func `a complete answer is read in order`() throws {
        let form = try EndedForm(Array("name=%E6%97%A5%E6%9C%AC+1&empty=&a%26b=c=d&END".utf8))
        #expect(form.fields == [FormField("name", "日本 1"), FormField("empty", ""), FormField("a&b", "c=d")])
        #expect(form["name"] == "日本 1" && form["other"] == nil)
    }

    @Test(arguments: ["END", "END\n", "END\r\n"])
    func `an answer may be empty, and may end with a newline`(_ text: String) throws {
        #expect(try EndedForm(Array(text.utf8)).fields.isEmpty)
    }

    @Test(arguments: [
        ("", EndedForm.Flaw.missingEnd(last: "")), ("a=1&b=2", .missingEnd(last: "b=2")),
        ("a=1&EN", .missingEnd(last: "EN")),
        ("a=1&end", .missingEnd(last: "end")), ("a=1&END\n\n", .missingEnd(last: "END\n")),
        ("a=1&END&b=2", .textAfterEnd("b=2")), ("a=1&END&", .textAfterEnd("")),
        ("a=1&b&END", .noEqualsSign("b", place: 2)),
        ("a=1&&END", .noEqualsSign("", place: 2)), ("=1&END", .noKey("=1", place: 1)),
        ("a=%zz&END", .badEscape("a=%zz", place: 1)), ("a=%FF&END", .badEscape("a=%FF", place: 1)),
        ("a=1&b=2&a=3&END", .keyTwice("a")),
    ])
    func `mistakes are reported`(_ text: String, _ flaw: EndedForm.Flaw) {
        #expect(throws: flaw) { try EndedForm(Array(text.utf8)) }
    }

    @Test func `a truncated body is reported as truncated, wherever it ends`() throws {
        let whole = Array("a=1&b=2&END".utf8)
        for length in 0..<whole.count {
            #expect(throws: EndedForm.Flaw.cutOff(received: length, announced: whole.count)) {
                try EndedForm(Array(whole[..<length]), contentLength: whole.count)
            }
            // Without an announced length, the missing END shows that the answer is truncated.
            #expect(throws: EndedForm.Flaw.self) { try EndedForm(Array(whole[..<length])) }
        }
        #expect(try EndedForm(whole, contentLength: whole.count).fields.count == 2)
        #expect(throws: EndedForm.Flaw.cutOff(received: 11, announced: 5)) { try EndedForm(whole, contentLength: 5) }
        #expect(throws: EndedForm.Flaw.notUTF8) { try EndedForm([0x61, 0x3D, 0xE6, 0x97] + Array("&END".utf8)) }
    }

    @Test(arguments: ["", "plain", "a b+c&d=e%f", "日本語 🎉", "e\u{301} é", "\n\t\u{0}"])
    func `a value arrives unchanged`(_ value: String) throws {
        let text = URLParameters([FormField("key", value), FormField(value + "k", "1")]).query + "&END"
        let form = try EndedForm(Array(text.utf8))
        #expect(form["key"]?.utf8.elementsEqual(value.utf8) == true)
        #expect(form.fields[1].name.utf8.elementsEqual((value + "k").utf8))
    }
}
