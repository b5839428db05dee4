import IPCInterface
import IPCModel
import Testing

@testable import IPC

struct PayloadTests {
    private func payload(_ items: [PasteboardItem]?) -> Payload {
        var context = OpenURLContext()
        context.items = items
        return Payload(context)
    }

    private let notUTF8 = PasteboardItem.data([0xFF, 0xFE], type: .utf8PlainText)

    @Test func aRequestWithoutItemsHasNoPayload() throws {
        let none = payload(nil)
        #expect(!none.isPresent && none.items.isEmpty)
        #expect(try none.string == nil && none.url == nil && none.strings == [])
        #expect(payload([]).isPresent)
    }

    @Test func textsAndURLsAreFoundAmongOtherItems() throws {
        let sent = payload([
            .data([1, 2], type: .png), .string("one"), try .url("x:two words"), .string("zwei ü"),
        ])
        #expect(try sent.string == "one")
        #expect(try sent.strings == ["one", "zwei ü"])
        #expect(try sent.url == "x:two words")
        #expect(sent.data(forType: .png) == [1, 2])
        #expect(sent.data(forType: .utf8PlainText, item: 1) == Array("one".utf8))
        #expect(sent.data(forType: .png, item: 1) == nil && sent.data(forType: .png, item: 9) == nil)
    }

    @Test func textThatIsNotUTF8IsATypedError() {
        let string = #expect(throws: IPCError.self) { try payload([notUTF8]).string }
        let strings = #expect(throws: IPCError.self) { try payload([.string("a"), notUTF8]).strings }
        let url = #expect(throws: IPCError.self) { try payload([.data([0x23], type: .url)]).url }
        for error in [string, strings, url] { #expect(error?.code == .payloadInvalid) }
    }
}

struct DigestTests {
    /// The digests were computed with `xxhsum -H2`.
    @Test(arguments: [
        ("", "xxh128:99aa06d3014798d86001c324468d497f"),
        ("hello", "xxh128:b5e9c1ad071b3e7fc779cfaa5e523818"),
    ])
    func digestsMatchTheContract(_ text: String, _ digest: String) throws {
        #expect(try Digest.of(.text(text)) == digest)
        #expect(try Digest.of(.bytes(Array(text.utf8))) == digest)
        try Digest.check(.text(text), against: digest)
    }

    @Test func i5ADamagedValueIsNotReturned() throws {
        let good = try Digest.of(.text("hello"))
        #expect(throws: Never.self) { try Digest.check([.string("hello")], against: [[good]]) }
        for (text, digests) in [("hellp", [[good]]), ("hello", [[good], [good]]), ("hello", [[]])] {
            let error = #expect(throws: IPCError.self) { try Digest.check([.string(text)], against: digests) }
            #expect(error?.code == .inputOutput)
        }
    }

    @Test func anUnknownKindOfDigestIsIgnored() throws {
        try Digest.check(.text("hello"), against: "sha3:00")
    }
}
