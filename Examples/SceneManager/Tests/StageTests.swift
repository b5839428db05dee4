import Terminal
import Testing

@testable import SceneManager

@MainActor
struct StageTests {
    private let record = Record()
    private let shown = Shown()

    private func stage(_ stack: SceneStack? = nil) async throws -> Stage {
        let stack = stack ?? SceneStack(root: SceneAddress("root"))
        let size = TerminalSize(columns: 40, rows: 8)
        let stage = Stage(stack, size: size, clock: SkippingClock()) { [record] address in
            switch address.name {
            case "lost": throw SceneRefusal("lost", code: "lost")
            case "flipped":
                RecordedScene(
                    address, record, entrance: Transition(.flip, .milliseconds(99)),
                    exit: Transition(.slide(forward: false), .milliseconds(99)))
            default: RecordedScene(address, record)
            }
        } show: { [shown] in
            shown.show($0)
        }
        try await stage.begin()
        return stage
    }

    private func push(_ address: String) throws -> StackCommand { .push(try #require(SceneAddress(parsing: address))) }

    @Test func aSceneThatCannotBeCreatedChangesNothing() async throws {
        let stage = try await stage()
        let before = (stage.addresses, shown.text)
        await #expect(throws: SceneRefusal("lost", code: "lost")) { try await stage.go(push("lost")) }
        #expect(stage.addresses == before.0 && shown.text == before.1)
    }

    @Test func aReleasedSceneIsRestoredUnchanged() async throws {
        let stage = try await stage()
        try await stage.take(.key(.character("+")))
        try await stage.go(push("a"))
        await stage.release()
        #expect(record.released == ["root"])
        #expect(stage.addresses.map(\.description) == ["root?n=1", "a"])
        try await stage.go(.pop)
        #expect(record.released == ["root", "a"])
        #expect(shown.text.contains("<root 1>") && !shown.text.contains("<a"))
    }

    @Test func aReleasedSceneEndsWithoutAMoment() async throws {
        let stage = try await stage()
        try await stage.go(push("a"))
        try await stage.go(push("b"))
        await stage.release()
        _ = record.take()
        try await stage.go(.popToRoot)
        #expect(record.take().filter { $0.contains("end") } == ["b end"])
    }

    @Test func aSceneWithoutItsDataIsSkippedOnTheWayBack() async throws {
        let names = ["root", "lost", "lost", "a"]
        let stage = try await stage(SceneStack(restoring: names.map { SceneAddress($0) }))
        #expect(stage.top.title == "a 0")
        try await stage.go(.pop)
        #expect(stage.addresses == [SceneAddress("root")] && shown.text.contains("<root 0>"))
        let again = try await self.stage(SceneStack(restoring: ["root", "lost"].map { SceneAddress($0) }))
        #expect(again.addresses == [SceneAddress("root")], "also at the start")
        await #expect(throws: SceneRefusal.self) { try await self.stage(SceneStack(root: SceneAddress("lost"))) }
    }

    @Test func theDestinationIsCalledAtTheDarkestMomentAndAtTheEndOfAFade() async throws {
        let stage = try await stage()
        shown.record = record
        _ = record.take()
        try await stage.go(push("a"), by: Transition(.fade(through: .white), .milliseconds(99)))
        let moments = record.take()
        #expect(
            moments == [
                "a init", "root willDisappear", "a willAppear", "<root 0>", "<root 0>", "root didDisappear",
                "root sleep", "a turned", "<a 0>", "<a 0>", "a didAppear", "a finished", "<a 0>",
            ])
        #expect(shown.canvas[1, 0].style == .plain, "the fade leaves no colour behind")
    }

    /// The pictures of a change: how many columns of the old and of the new scene each of them shows.
    private func rows(of change: () async throws -> Void) async throws -> [String] {
        shown.canvases = []
        try await change()
        return shown.canvases.dropLast().map { $0.text(row: 1) }
    }

    @Test func aSceneComesByItsEntranceAndLeavesByItsExit() async throws {
        let stage = try await stage()
        let coming = try await rows { try await stage.go(push("flipped")) }
        let flip = Transition(.flip, .milliseconds(99))
        let pictures = [0.0, 1.0 / 3, 2.0 / 3, 1].map {
            flip.picture(from: picture("<root 0>"), to: picture("<flipped 0>"), at: $0).text(row: 1)
        }
        #expect(coming == pictures)
        let leaving = try await rows { try await stage.go(.pop) }
        let slide = Transition(.slide(forward: false), .milliseconds(99))
        let others = [0.0, 1.0 / 3, 2.0 / 3, 1].map {
            slide.picture(from: picture("<flipped 0>"), to: picture("<root 0>"), at: $0).text(row: 1)
        }
        #expect(leaving == others)
        #expect(Set(pictures + others).count == 6, "only the first and the last picture of both are the same")
    }

    /// A picture of the stage's size, with a text in the row in which its scenes draw.
    private func picture(_ text: String) -> Canvas {
        var canvas = Canvas(size: TerminalSize(columns: 40, rows: 8))
        canvas.write(text, at: Position(row: 1, column: 0))
        return canvas
    }

    @Test func aCommandsOwnTransitionComesBeforeThoseOfTheScene() async throws {
        let stage = try await stage()
        let coming = try await rows { try await stage.go(push("flipped"), by: .cut) }
        #expect(coming == ["<flipped 0>"])
    }

    @Test func changesWaitForEachOther() async throws {
        let stage = try await stage()
        let fade = Transition(.fade(through: .black), .seconds(1))
        let first = Task { try await stage.go(push("a"), by: fade) }
        let second = Task { try await stage.go(push("b"), by: fade) }
        try await first.value
        try await second.value
        #expect(stage.addresses.map(\.name) == ["root", "a", "b"])
        let moments = record.take()
        #expect(try #require(moments.firstIndex(of: "a finished")) < (try #require(moments.firstIndex(of: "b init"))))
    }

    @Test func keysAndPastesDuringAFadeGoToTheNewScene() async throws {
        for (event, number) in [(TerminalEvent.key(.character("+")), 1), (.paste("7"), 7)] {
            let stage = try await stage()
            let fade = Transition(.fade(through: .black), .seconds(1))
            let pushing = Task { try await stage.go(push("a"), by: fade) }
            while !record.moments.contains("a willAppear") { await Task.yield() }
            try await stage.take(event)
            try await pushing.value
            #expect(stage.addresses.map(\.description) == ["root", "a?n=\(number)"])
            _ = record.take()
        }
    }

    @Test func aReleaseDuringAFadeHappensAfterIt() async throws {
        let stage = try await stage()
        let fade = Transition(.fade(through: .black), .seconds(1))
        let pushing = Task { try await stage.go(push("a"), by: fade) }
        while !record.moments.contains("a willAppear") { await Task.yield() }
        await stage.release()
        #expect(record.released == ["root"])
        try await pushing.value
        try await stage.go(.pop)
        #expect(shown.text.contains("<root 0>"))
    }

    @Test func keysThatNoSceneHandlesGoBackAndQuit() async throws {
        let stage = try await stage()
        try await stage.take(.key(.escape))
        #expect(!stage.isOver && stage.stack.entries.count == 1, "the root stays")
        try await stage.go(push("a"))
        try await stage.take(.key(.escape))
        #expect(stage.stack.entries.count == 1)
        try await stage.take(.key(.character("q")))
        #expect(stage.isOver)
    }

    @Test func theLayoutFollowsTheShapeOfTheTerminal() async throws {
        let stage = try await stage()
        #expect(shown.text.contains("wide"))
        try await stage.take(.resized(TerminalSize(columns: 39, rows: 20)))
        #expect(shown.canvas.size == TerminalSize(columns: 39, rows: 20) && shown.text.contains("narrow"))
        try await stage.go(push("a"))
        #expect(shown.text.contains("<a 0>\nnarrow"), "a new scene gets the layout too")
        try await stage.take(.resized(TerminalSize(columns: 40, rows: 20)))
        #expect(shown.text.contains("<a 0>\nwide"))
        try await stage.go(.pop)
        #expect(shown.text.contains("<root 0>\nwide"), "and one that was covered")
        try await stage.take(.resized(TerminalSize(columns: 10, rows: 1)))
        #expect(shown.canvas.size == TerminalSize(columns: 10, rows: 1))
    }

    @Test func aNewSizeInTheMiddleOfATransitionIsDrawn() async throws {
        let stage = try await stage()
        let pushing = Task { try await stage.go(push("a"), by: Transition(.slide(forward: true), .seconds(1))) }
        while !record.moments.contains("a willAppear") { await Task.yield() }
        try await stage.take(.resized(TerminalSize(columns: 10, rows: 8)))
        try await pushing.value
        #expect(shown.canvas.size == TerminalSize(columns: 10, rows: 8) && shown.text.contains("<a 0>\nnarrow"))
    }
}

/// The pictures that a stage has shown.
@MainActor
final class Shown {
    var canvases: [Canvas] = []
    /// Records the scene in each picture, between the moments of the scenes.
    var record: Record?
    var canvas: Canvas { canvases.last ?? Canvas(size: TerminalSize(columns: 1, rows: 1)) }

    func show(_ canvas: Canvas) {
        canvases.append(canvas)
        record?.moments.append(canvas.text(row: 1))
    }

    var text: String { (0..<canvas.size.rows).map(canvas.text).joined(separator: "\n") }
}
