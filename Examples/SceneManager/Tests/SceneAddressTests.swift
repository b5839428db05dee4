import Foundation
import SceneManager
import Testing

struct SceneAddressTests {
    @Test(arguments: [
        "menu", "counter?n=5", "question/1000001?view=narrow", "search?q=%E4%BA%AC%E9%83%BD&from=20",
        "note?text=a%26b%3Dc%20%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7",
    ])
    func survivesARoundTrip(_ text: String) throws {
        #expect(try #require(SceneAddress(parsing: text)).description == text)
    }

    @Test func textIsDecodedInsideAndEncodedOutside() throws {
        var address = SceneAddress("note")
        address["text"] = "犬 & 猫=🐾?#"
        let read = try #require(SceneAddress(parsing: address.description))
        #expect(read["text"] == "犬 & 猫=🐾?#" && read == address)
        #expect(address.description.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func aURLIsParsedInBothForms() {
        let address = SceneAddress("push", argument: "counter", parameters: ["n": "5"])
        #expect(SceneAddress(url: "scenes://push/counter?n=5") == address)
        #expect(SceneAddress(url: "SCENES:push/counter?n=5") == address)
        #expect(SceneAddress(url: "qa://search?q=京都 駅")?["q"] == "京都 駅", "people type URLs too")
        #expect(address.url(scheme: "scenes") == "scenes://push/counter?n=5")
    }

    @Test func isEncodedAsItsText() throws {
        let addresses = [SceneAddress("menu"), SceneAddress("note", parameters: ["text": "犬"])]
        let json = try JSONEncoder().encode(addresses)
        #expect(String(decoding: json, as: UTF8.self) == #"["menu","note?text=%E7%8A%AC"]"#)
        #expect(try JSONDecoder().decode([SceneAddress].self, from: json) == addresses)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SceneAddress.self, from: Data(#""a b""#.utf8)) }
    }

    @Test(arguments: ["", "?n=5", "/x", "a b", "日本", "a/日本", "a/b c"])
    func textWithoutASceneIsNotAnAddress(_ text: String) { #expect(SceneAddress(parsing: text) == nil) }

    @Test func parametersAreChangedInPlaceAndReadAsNumbers() throws {
        var address = SceneAddress("search", parameters: ["q": "a", "from": "20", "row": "3"])
        address["from"] = "40"
        #expect(address.description == "search?q=a&from=40&row=3")
        address["q"] = nil
        #expect(address.description == "search?from=40&row=3")
        #expect(try address.number("from") == 40 && address.number("from", from: 40) == 40)
        #expect(try address.number("missing") == nil)
        address["row"] = "x"
        #expect(throws: SceneRefusal("row=x: must be a number", code: "no-number")) { try address.number("row") }
        #expect(throws: SceneRefusal.self) { try address.number("from", from: 41) }
    }

    @Test(arguments: [
        ("push/a/7?n=1", SceneOrder.stack(.push(SceneAddress("a", argument: "7", parameters: ["n": "1"])))),
        ("replace/a", .stack(.replace(SceneAddress("a")))), ("pop", .stack(.pop)),
        ("pop-to-root", .stack(.popToRoot)), ("pop-to/a", .stack(.popTo("a"))), ("release", .release), ("stack", .list),
        ("page/2", .scene(SceneAddress("page", argument: "2"))),
    ])
    func commandsAreParsed(_ text: String, _ order: SceneOrder) throws {
        #expect(try SceneOrder(try #require(SceneAddress(parsing: text))) == order)
    }

    @Test(arguments: ["push", "push/", "replace", "pop-to"])
    func aCommandWithoutANameIsRejected(_ text: String) throws {
        let address = try #require(SceneAddress(parsing: text))
        #expect(throws: SceneRefusal.self) { try SceneOrder(address) }
    }
}
