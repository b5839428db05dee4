import IPC
import IPCModel
import Testing

@testable import ipc_bridge

/// Tests of which targets (formats) of the desktop's clipboard are copied, and which ones the bridge offers there.
@Suite("Targets of a clipboard")
struct TargetTests {
    private func taken(_ targets: String...) -> [String] {
        TakenTargets(targets).rows.map { "\($0.type)<\($0.targets.joined(separator: " "))" }
    }

    @Test func eachContentIsReadOnce() {
        #expect(
            taken(
                "TARGETS", "TIMESTAMP", "STRING", "text/html", "UTF8_STRING", "TEXT", "text/plain;charset=UTF-8",
                "text/html")
                == ["text/plain;charset=utf-8<text/plain;charset=UTF-8 UTF8_STRING TEXT STRING", "text/html<text/html"])
        #expect(taken("STRING") == ["text/plain;charset=utf-8<STRING"])
        // A text in another character set is separate content.
        #expect(taken("text/plain;charset=utf-16") == ["text/plain;charset=utf-16<text/plain;charset=utf-16"])
    }

    @Test(arguments: ["TARGETS", "MULTIPLE", "DELETE", "SAVE_TARGETS", "COMPOUND_TEXT", "", "a/b c", "image/*", "日本"])
    func targetsWithoutContentAreIgnored(target: String) {
        #expect(taken(target) == [])
        #expect(taken("text/html", target) == ["text/html<text/html"])
    }

    @Test func anImageIsReadInOneFormat() {
        let all = ["image/bmp", "image/png", "image/jpeg", "image/svg+xml", "image/gif"]
        #expect(TakenTargets(all).rows.map(\.type.text) == ["image/png", "image/svg+xml", "image/gif"])
        #expect(TakenTargets(["image/bmp", "image/jpeg"]).rows.count == 2)
    }

    @Test func theMarkOfAPasswordManagerIsDetected() {
        #expect(TakenTargets(["UTF8_STRING", "x-kde-passwordManagerHint"]).isSecret)
        #expect(!TakenTargets(["UTF8_STRING", "x-kde-passwordManagerHints"]).isSecret)
    }

    @Test func textIsDecodedByItsDeclaredEncoding() throws {
        func text(_ bytes: [UInt8], _ target: String) -> Representation.Value? {
            TakenTargets.value(ClipboardContent(value: .bytes(bytes), target: target), as: .utf8PlainText)
        }
        #expect(text([0xE6, 0x97, 0xA5], "UTF8_STRING") == .text("日"))
        #expect(text([0xFC], "UTF8_STRING") == nil)
        #expect(text([0xFC], "STRING") == .text("ü"))
        #expect(text([0x61, 0], "UTF8_STRING") == .bytes([0x61, 0]))
        #expect(TakenTargets.value(ClipboardContent(value: .bytes([0xFC]), target: "a/b"), as: .png) == .bytes([0xFC]))
    }

    @Test func textIsOfferedUnderAllItsTargets() throws {
        let names = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING"]
        #expect(OfferedTargets([[.html, .utf8PlainText, .png]]).targets == ["text/html"] + names + ["image/png"])
        #expect(OfferedTargets([[.plainText, try ContentType("UTF8_STRING")]]).targets == names)
        #expect(OfferedTargets([]).targets.isEmpty)
    }

    @Test func textsAndURLsOfSeveralItemsAreJoined() throws {
        let offered = OfferedTargets([[.utf8PlainText, .url], [.png, .url], [.plainText, .png]])
        #expect(offered.places(of: "STRING").map(\.item) == [0, 2])
        #expect(offered.places(of: "STRING").map(\.type) == [.utf8PlainText, .plainText])
        #expect(offered.places(of: "text/uri-list").map(\.item) == [0, 1])
        #expect(offered.places(of: "image/png").map(\.item) == [1])
        #expect(offered.places(of: "image/gif").isEmpty)
    }

    @Test func contentsAreCombined() throws {
        func content(_ values: [Representation.Value], _ target: String) throws(IPCError) -> [String] {
            let content = try OfferedTargets.content(values, for: target)
            return [content.target, String(decoding: content.value.content, as: UTF8.self)]
        }
        let texts: [Representation.Value] = [.text("a"), .bytes(Array("日".utf8))]
        #expect(try content(texts, "TEXT") == ["UTF8_STRING", "a\n日"])
        #expect(try content(texts, "text/uri-list") == ["text/uri-list", "a日"])
        #expect(try content([.text("a")], "text/plain") == ["text/plain", "a"])
        #expect(try OfferedTargets.content([.text("ü")], for: "STRING").value.content == [0xFC])
        #expect(throws: IPCError.self) { try content(texts, "STRING") }
    }
}
