import IPC
import IPCTesting
import Testing

/// Clipboard features of X11 only: several types from one program, encodings, several targets in one request.
@Suite(.privateBus)
struct SelectionTests {
    @Test func allTypesOfASelectionAreRead() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        let file = try PrivateBus.current.directory.appending("picture")
        try FileContents.write(ClipboardScene.picture(50_000), to: file)
        let program = try await scene.owner([
            "TIMESTAMP": "0", "text/html": "<b>日本</b>", "STRING": "??", "UTF8_STRING": "日本", "image/png": "@\(file)",
            "image/bmp": "the same once more", "application/x-example;key=\"a b\"": "data",
        ])
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        let item = try #require(try await scene.board.items.first)
        let own = try ContentType("application/x-example;key=\"a b\"")
        #expect(item.types == [.html, .utf8PlainText, .png, own])
        #expect(item.string == "日本" && item[.html]?.value.content == Array("<b>日本</b>".utf8))
        #expect(item[.png]?.value.content == ClipboardScene.picture(50_000))
        #expect(item[own]?.value.content == Array("data".utf8))
        for target in ["STRING", "image/bmp", "TIMESTAMP"] {
            #expect(!program.process.output.text.contains("asked \(target)\n"))
        }
        #expect(try await bridge.terminate() == .success)
    }

    @Test func textFromAnOldProgramBecomesUTF8() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        let file = try PrivateBus.current.directory.appending("latin1")
        try FileContents.write([0x67, 0x72, 0xFC, 0xDF, 0x65], to: file)
        _ = try await scene.owner(["STRING": "@\(file)"])
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.string == "grüße")
        // If the bytes do not match their target, another target that they match is used.
        _ = try await scene.owner(["UTF8_STRING": "@\(file)", "STRING": "@\(file)"])
        try await bridge.errors.waitForLine(containing: "the pasteboard has the same content")
        #expect(try await scene.paste("STRING").outputBytes == [0x67, 0x72, 0xFC, 0xDF, 0x65])
        try await scene.board.setString("grüße 日本")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.ask(["STRING"]) == ["STRING -"])
        try await scene.board.setString("grüße")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.ask(["STRING"]) == ["STRING STRING 6772fcdf65"])
        #expect(try await bridge.terminate() == .success)
    }

    @Test func oneRequestCanNameSeveralTargets() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        try await scene.board.setItems([
            try PasteboardItem([
                Representation(type: .utf8PlainText, value: .text("ab")),
                Representation(type: .html, value: .text("<i>ab</i>")),
            ])
        ])
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(
            try await scene.ask(["TEXT", "image/png", "text/html"], multiple: true) == [
                "TEXT UTF8_STRING 6162", "image/png -", "text/html text/html 3c693e61623c2f693e",
            ])
        #expect(try await scene.ask(["TIMESTAMP"]).first?.hasPrefix("TIMESTAMP INTEGER ") == true)
        #expect(try await bridge.terminate() == .success)
    }

    @Test func contentThatIsTooLargeIsOmitted() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge(["--size-limit", "1"])
        // The picture is sent in pieces, and the first message announces the total size.
        try await scene.copy(ClipboardScene.picture(3 << 20), as: "image/png")
        try await bridge.errors.waitForLine(containing: "image/png is left out")
        try await bridge.errors.waitForLine(containing: "cannot store any of the offered types")
        #expect(try await scene.board.types.isEmpty)
        // The size limit applies to all types of one copy together.
        let file = try PrivateBus.current.directory.appending("part")
        try FileContents.write(ClipboardScene.picture(240_000), to: file)
        _ = try await scene.owner([
            "a/1": "@\(file)", "a/2": "@\(file)", "a/3": "@\(file)", "a/4": "@\(file)", "a/5": "@\(file)",
            "UTF8_STRING": "text",
        ])
        try await bridge.errors.waitForLine(containing: "a/5 is left out")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        let types = try await scene.board.types.first?.map(\.text)
        #expect(types == ["a/1", "a/2", "a/3", "a/4", "text/plain;charset=utf-8"])
        #expect(try await bridge.terminate() == .success)
        // The control: without the size limit, all types are stored.
        let next = try await scene.bridge()
        try await next.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.types.first?.count == 6)
        #expect(try await next.terminate() == .success)
    }

    /// A program that requests content in pieces and then leaves harms no other program.
    @Test func aReaderThatLeavesIsReleased() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        try await scene.board.setItems([.image(ClipboardScene.picture(2 << 20), type: .png)])
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        for _ in 0..<3 {
            let answers = try await scene.ask(["image/png"])
            #expect(answers.first?.hasPrefix("image/png INCR ") == true, "\(answers)")
        }
        #expect(try await scene.paste("image/png").succeeded().outputBytes == ClipboardScene.picture(2 << 20))
        #expect(try await bridge.terminate() == .success)
    }
}

extension ClipboardScene {
    /// Requests targets and exits after the first answer; returns the target, its type, and its bytes in hexadecimal.
    func ask(_ targets: [String], multiple: Bool = false) async throws -> [String] {
        let directory = try TemporaryDirectory("ask")
        defer { directory.remove() }
        try FileContents.write(Self.reader, to: directory.appending("ask.py"))
        return try await RunningProcess.run(
            "/usr/bin/python3", ["-B", directory.appending("ask.py"), multiple ? "yes" : "no"] + targets,
            environment: environment
        ).succeeded().lines
    }

    private static let reader = #"""
        import sys
        from Xlib import X, display

        d = display.Display()
        window = d.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        clipboard, targets = d.intern_atom("CLIPBOARD"), sys.argv[2:]
        places = [d.intern_atom("PLACE_%d" % number) for number in range(len(targets))]

        def tell(target, place, given):
            content = window.get_full_property(place, X.AnyPropertyType) if given else None
            if content is None:
                return print(target, "-")
            value = content.value if isinstance(content.value, bytes) else content.value.tobytes()
            print(target, d.get_atom_name(content.property_type), value.hex())

        def wait():
            while True:
                event = d.next_event()
                if event.type == X.SelectionNotify:
                    return event.property != X.NONE

        if sys.argv[1] == "yes":
            pairs, several = d.intern_atom("ATOM_PAIR"), d.intern_atom("PLACES")
            atoms = [atom for pair in zip([d.intern_atom(t) for t in targets], places) for atom in pair]
            window.change_property(several, pairs, 32, atoms)
            window.convert_selection(clipboard, d.intern_atom("MULTIPLE"), several, X.CurrentTime)
            wait()
            answers = window.get_full_property(several, X.AnyPropertyType).value
            for target, place in zip(targets, answers[1::2]):
                tell(target, place, place != X.NONE)
        else:
            for target, place in zip(targets, places):
                window.convert_selection(clipboard, d.intern_atom(target), place, X.CurrentTime)
                tell(target, place, wait())
        """#
}
