import Terminal
import Testing

@testable import SceneManager

@MainActor
struct StageTests {
    private let record = Record()
    private let shown = Shown()

    /// The canvas that was drawn last.
    private final class Shown { var canvas = Canvas(size: TerminalSize(columns: 1, rows: 1)) }

    private func stage(_ stack: SceneStack? = nil) throws -> Stage {
        let stack = stack ?? SceneStack(root: SceneAddress("root"))
        let size = TerminalSize(columns: 40, rows: 8)
        let stage = Stage(stack, size: size, clock: SkippingClock()) { [record] address in
            guard address.name != "lost" else { throw SceneRefusal("lost", code: "lost") }
            return RecordedScene(address, record)
        } show: { [shown] canvas in
            shown.canvas = canvas
        }
        try stage.begin()
        return stage
    }

    private func push(_ address: String) throws -> StackCommand { .push(try #require(SceneAddress(parsing: address))) }

    private var text: String { (0..<shown.canvas.size.rows).map(shown.canvas.text).joined(separator: "\n") }

    @Test func notifiesEachSceneInOrder() async throws {
        let stage = try stage()
        #expect(record.take() == ["make root"])
        try await stage.go(push("a"))
        #expect(record.take() == ["make a", "sleep root"])
        try await stage.go(.pop)
        #expect(record.take() == ["end a", "gone a", "restore root"])
        #expect(text.contains("<root 0>") && !text.contains("<a"))
    }

    @Test func aSceneThatCannotBeCreatedChangesNothing() async throws {
        let stage = try stage()
        let before = (stage.stack, text)
        await #expect(throws: SceneRefusal("lost", code: "lost")) { try await stage.go(push("lost")) }
        #expect(stage.stack == before.0 && text == before.1)
        #expect(record.take() == ["make root"], "nobody sleeps, nobody ends")
    }

    @Test func aReleasedSceneIsRestoredUnchanged() async throws {
        let stage = try stage()
        try await stage.take(.key(.character("+")))
        try await stage.go(push("a"))
        _ = record.take()
        await stage.letGo()
        #expect(record.take() == ["gone root"])
        #expect(!stage.isMade(0) && stage.isMade(1))
        try await stage.go(.pop)
        #expect(record.take() == ["make root?n=1", "end a", "gone a", "restore root"])
        #expect(text.contains("<root 1>"))
    }

    @Test func aSceneWithoutItsDataIsSkippedOnTheWayBack() async throws {
        let names = ["root", "lost", "lost", "a"]
        let stage = try stage(SceneStack(restoring: names.map { SceneAddress($0) }))
        #expect(record.take() == ["make a", "restore a"])
        try await stage.go(.pop)
        #expect(record.take() == ["make root", "end a", "gone a", "restore root"])
        #expect(stage.addresses == [SceneAddress("root")])
        let again = try self.stage(SceneStack(restoring: ["root", "lost"].map { SceneAddress($0) }))
        #expect(again.addresses == [SceneAddress("root")], "also at the start")
        #expect(throws: SceneRefusal.self) { try self.stage(SceneStack(root: SceneAddress("lost"))) }
    }

    @Test func inAFadeTheOldSceneSleepsOnceHiddenAndTheEndIsReported() async throws {
        let record = record
        let seen = Shown()
        let stage = Stage(
            SceneStack(root: SceneAddress("root")), size: TerminalSize(columns: 40, rows: 8), clock: SkippingClock()
        ) {
            RecordedScene($0, record)
        } show: { canvas in
            seen.canvas = canvas
            record.moments.append(canvas.text(row: 1))
        }
        try stage.begin()
        _ = record.take()
        let fade = Transition(.fade(through: .white), .milliseconds(99))
        try await stage.go(push("a"), by: fade) { record.moments.append("finished") }
        #expect(
            record.take() == [
                "make a", "<root 0>", "<root 0>", "sleep root", "<a 0>", "<a 0>", "finished",
            ])
        #expect(seen.canvas[1, 0].style == .plain, "the fade leaves no colour behind")
    }

    @Test func changesWaitForEachOther() async throws {
        let stage = try stage()
        _ = record.take()
        let fade = Transition(.fade(through: .black), .seconds(1))
        let first = Task { try await stage.go(push("a"), by: fade) }
        let second = Task { try await stage.go(push("b"), by: fade) }
        try await first.value
        try await second.value
        #expect(stage.addresses.map(\.name) == ["root", "a", "b"])
        #expect(record.take() == ["make a", "sleep root", "make b", "sleep a"])
    }

    @Test func keysDuringAFadeGoToTheNewScene() async throws {
        let stage = try stage()
        let fade = Transition(.fade(through: .black), .seconds(1))
        let pushing = Task { try await stage.go(push("a"), by: fade) }
        while record.moments.count < 2 { await Task.yield() }
        try await stage.take(.key(.character("+")))
        try await pushing.value
        #expect(stage.addresses.map(\.description) == ["root", "a?n=1"])
    }

    @Test func aReleaseDuringAFadeHappensAfterIt() async throws {
        let stage = try stage()
        let fade = Transition(.fade(through: .black), .seconds(1))
        let pushing = Task { try await stage.go(push("a"), by: fade) }
        while record.moments.count < 2 { await Task.yield() }
        await stage.letGo()
        try await pushing.value
        #expect(!stage.isMade(0) && stage.isMade(1))
        try await stage.go(.pop)
        #expect(text.contains("<root 0>"))
    }

    @Test func keysThatNoSceneHandlesGoBackAndQuit() async throws {
        let stage = try stage()
        try await stage.take(.key(.escape))
        #expect(!stage.isOver && stage.stack.entries.count == 1, "the root stays")
        try await stage.go(push("a"))
        try await stage.take(.key(.escape))
        #expect(stage.stack.entries.count == 1)
        try await stage.take(.key(.character("q")))
        #expect(stage.isOver)
    }

    @Test func aNewSizeIsDrawn() async throws {
        let stage = try stage()
        try await stage.take(.resized(TerminalSize(columns: 10, rows: 1)))
        #expect(shown.canvas.size == TerminalSize(columns: 10, rows: 1))
        try await stage.take(.resized(TerminalSize(columns: 50, rows: 20)))
        #expect(text.contains("<root 0>"))
    }
}
