import IPC
import IPCTesting
import Testing

/// The bridge copies secrets in neither direction.
@Suite(.privateBus)
struct ClipboardSecretTests {
    private static let mark = "x-kde-passwordManagerHint"

    @Test func aCopyMarkedAsSecretIsNeverRead() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        try await scene.copy("before")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        let count = try await scene.board.changeCount
        let manager = try await scene.owner(["UTF8_STRING": "hunter2", Self.mark: "secret"])
        try await bridge.errors.waitForLine(containing: "marked the content as a secret")
        #expect(try await manager.nextLine() == "asked TARGETS")
        // When the program exits, the bridge does not offer the older content that is still on the pasteboard.
        await manager.process.end()
        try await scene.copy("behind")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(!manager.process.output.text.contains("asked UTF8_STRING"))
        #expect(!bridge.errors.text.contains("offered the version with change count"))
        let versions = try await scene.board.versions()
        #expect(versions.dropLast().last?.changeCount == count)
        #expect(try await scene.board.string == "behind")
        #expect(try await bridge.terminate() == .success)
    }

    /// The control: the same program copies without marking the content as secret.
    @Test func theSameCopyWithoutTheMarkIsStored() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        let manager = try await scene.owner(["UTF8_STRING": "hunter2"])
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.string == "hunter2")
        #expect(manager.process.output.text.contains("asked UTF8_STRING"))
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases, [PasteboardOptions(isSensitive: true), PasteboardOptions(isOnce: true)])
    func aSensitivePasteboardIsNotOffered(desk: Desk, options: PasteboardOptions) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        try await scene.board.setString("before")
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        try await scene.board.setItems([.string("hunter2")], options: options)
        try await bridge.errors.waitForLine(containing: "is not offered")
        #expect(try await scene.paste().output.isEmpty)
        // The program that tried to paste got nothing and consumed nothing.
        #expect(try await scene.board.string == "hunter2")
        #expect(try await bridge.terminate() == .success)
    }

    @Test(arguments: Desk.allCases)
    func withTheOptionASecretIsOfferedOnceWithItsMark(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge(["--secrets"])
        try await scene.board.setItems([.string("hunter2")], options: PasteboardOptions(isSensitive: true))
        try await bridge.errors.waitForLine(containing: "offered the version with change count")
        #expect(try await scene.targets().contains(Self.mark))
        for (target, content) in [(Self.mark, "secret"), (nil, "hunter2")] {
            let pasted = if let target { try await scene.paste(target) } else { try await scene.paste() }
            #expect(pasted.status == .success && pasted.output == content, "\(pasted) \(bridge.errors.text)")
        }
        try await bridge.errors.waitForLine(containing: "is not offered")
        #expect(try await scene.paste().output.isEmpty)
        #expect(try await scene.board.string == nil)
        #expect(!bridge.errors.text.contains("hunter2"))
        #expect(try await bridge.terminate() == .success)
    }
}
