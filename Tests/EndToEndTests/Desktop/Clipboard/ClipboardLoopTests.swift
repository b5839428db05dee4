import IPC
import IPCTesting
import Testing

/// The bridge's own content does not come back to it: the change count increases once per copy and once per write.
@Suite(.privateBus)
struct ClipboardLoopTests {
    /// The texts of all versions since the pasteboard was empty, oldest first.
    private func history(_ scene: ClipboardScene) async throws -> [String] {
        var texts: [String] = []
        for version in try await scene.board.versions() where version.itemCount > 0 {
            texts.append(try await scene.board.version(version.changeCount).items.first?.string ?? "")
        }
        return texts
    }

    /// Alternates copies and writes, and waits only for the report of each.
    private func takeTurns(_ scene: ClipboardScene, _ bridge: RunningProcess) async throws -> [String] {
        try await scene.board.setHistoryLimit(100)
        var expected: [String] = []
        for round in 1...8 {
            expected += ["copied \(round)", "written \(round)"]
            try await scene.copy("copied \(round)")
            try await bridge.errors.waitForLine(containing: "stored a version with change count")
            try await scene.board.setString("written \(round)")
            try await bridge.errors.waitForLine(containing: "offered the version with change count")
        }
        // One more copy: if the bridge had received any of its own content, it would have stored and reported that
        // before this.
        try await scene.copy("the last")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await bridge.terminate() == .success)
        return expected + ["the last"]
    }

    @Test(arguments: Desk.allCases)
    func eachCopyInALoopStoresOneVersion(desk: Desk) async throws {
        let scene = try await ClipboardScene.start(desk)
        let bridge = try await scene.bridge()
        let expected = try await takeTurns(scene, bridge)
        #expect(try await history(scene) == expected)
        let told = bridge.errors.text.split(separator: "\n")
        #expect(told.count { $0.contains("stored") } == 9)
        // At the start, the bridge may report that it does not offer the empty pasteboard. That line is not counted.
        #expect(told.count { $0.contains(": offered") } == 8)
    }

    /// Copying the same content again, or content that another bridge has put there, is not a change.
    @Test func identicalContentIsNotStoredTwice() async throws {
        let scene = try await ClipboardScene.start()
        let bridge = try await scene.bridge()
        try await scene.copy("same")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        let count = try await scene.board.changeCount
        try await scene.copy("same")
        try await bridge.errors.waitForLine(containing: "the pasteboard has the same content")
        #expect(try await scene.board.changeCount == count)
        try await scene.copy("another")
        try await bridge.errors.waitForLine(containing: "stored a version with change count")
        #expect(try await scene.board.changeCount > count)
        #expect(try await bridge.terminate() == .success)
    }

    /// The control: the same history exposes a bridge that does not recognise its own content.
    @Test func aLoopIsDetected() async throws {
        let scene = try await ClipboardScene.start()
        try await scene.board.setHistoryLimit(100)
        let client = try Binaries.path("ipc-client")
        let naive = try await RunningProcess.start(
            client, ["watch", "general", "--exec", "\(client) paste | \(client) copy"],
            environment: scene.environment, input: .none)
        try await naive.errors.waitForLine(containing: "watching")
        try await scene.board.setString("once")
        var versions = scene.board.changes(since: try await scene.board.changeCount).makeAsyncIterator()
        for _ in 0..<3 { _ = try await versions.next() }
        #expect(try await naive.terminate() == .success)
        #expect(try await history(scene).count > 3)
    }
}
