import IPC
import IPCTesting
import Testing

/// On both kinds of displays, copied content is on the pasteboard, and content on the pasteboard can be pasted.
@Suite(.privateBus)
struct ClipboardTests {
    static let texts = ["hello", "日本語のテキスト", "👩‍👩‍👧‍👦 e\u{301} 🇯🇵", "two\nlines\n", "ä"]

    @Test(arguments: Desk.allCases)
    func textGoesBothWays(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        for text in Self.texts {
            let program = try await scene.copy("copied \(text)")
            try await bridge.errors.waitForLine(containing: "stored a version with change count")
            #expect(try await scene.board.string == "copied \(text)")
            #expect(try await scene.board.types == [[.utf8PlainText]])
            try await scene.board.setString("written \(text)")
            try await bridge.errors.waitForLine(containing: "offered the version with change count")
            // The program has lost the clipboard, and exits.
            #expect(try await program.wait() == .success)
            for target in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"] {
                #expect(try await scene.paste(target).succeeded().output == "written \(text)", "\(target)")
            }
        }
        #expect(try await bridge.terminate() == .success)
        // The control: without the bridge, nothing is pasted.
        #expect(try await scene.paste().output.isEmpty)
    }

    /// Large content is sent in pieces: xclip's are 3 MiB, and the bridge's 256 KiB. The sizes are above and below
    /// both.
    @Test(arguments: Desk.allCases, [5 << 20, 300_001, 0x4_0000, 1])
    func aPictureGoesBothWaysByteForByte(desk: Desk, size: Int) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        let (one, other) = (ClipboardScene.picture(max(size, 9)), ClipboardScene.picture(max(size, 9) + 1))
        try await scene.copy(one, as: "image/png")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.types == [[.png]])
        #expect(try await scene.board.data(forType: .png) == one)
        try await scene.board.setItems([.image(other, type: .png)])
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste("image/png").succeeded().outputBytes == other)
        #expect(one != other)
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func allTypesOfAVersionCanBePasted(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        let picture = ClipboardScene.picture(70_000)
        let item = try PasteboardItem([
            Representation(type: .html, value: .text("<b>日本</b>")),
            Representation(type: .utf8PlainText, value: .text("日本")),
            Representation(type: .png, value: .bytes(picture)),
        ])
        try await scene.board.setItems([item, .string("語"), .url("https://example.org/?a=%20")])
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        let targets = try await scene.targets()
        for target in ["text/html", "UTF8_STRING", "STRING", "image/png", "text/uri-list"] {
            #expect(targets.contains(target), "\(targets)")
        }
        #expect(try await scene.paste("text/html").succeeded().output == "<b>日本</b>")
        #expect(try await scene.paste().succeeded().output == "日本\n語")
        #expect(try await scene.paste("image/png").succeeded().outputBytes == picture)
        #expect(try await scene.paste("text/uri-list").succeeded().output == "https://example.org/?a=%20\r\n")
        // The control: types that are not on the pasteboard cannot be pasted.
        #expect(!targets.contains("image/gif"))
        #expect(try await scene.paste("image/gif").outputBytes.isEmpty)
        #expect(try await bridge.terminate() == .success)
    }

    /// The pasteboard's content can be pasted before any program copies. Copied content can be pasted even after the
    /// program that copied it has exited.
    @Test(arguments: Desk.allCases)
    func copiedContentOutlivesItsProgram(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        try await scene.board.setString("from before")
        let bridge = try await scene.bridge()
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste().succeeded().output == "from before")
        let program = try await scene.copy("from a program")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        try await program.kill9()
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste().succeeded().output == "from a program")
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func theDesktopContentWinsAtTheStart(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        try await scene.board.setString("older")
        // Only a bridge reports that the program has copied.
        let first = try await scene.bridge()
        try await first.errors.waitForLine(containing: "offered the version with change count")
        try await scene.copy("newer")
        try await first.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await first.terminate() == .success)
        try await scene.board.setString("older")
        let bridge = try await scene.bridge()
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.string == "newer")
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func anEmptyPasteboardIsAnEmptyClipboard(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        try await scene.board.setString("here")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste().succeeded().output == "here")
        try await scene.board.clear()
        try await bridge.errors.waitForLine(containing: "is not offered")
        #expect(try await scene.paste().output.isEmpty)
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func theBridgeContinuesWithTheNextBroker(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        try await scene.copy("before")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        try await scene.broker.restart()
        try await scene.copy("after")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.string == "after")
        try await scene.board.setString("and back")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.paste().succeeded().output == "and back")
        #expect(try await bridge.terminate() == .success)
    }
}
