import Terminal
import Testing

@testable import SceneManager

@MainActor
struct QuestionTests {
    private let record = Record()
    private let shown = Shown()

    /// Returns a stage whose root scene shows the number 5.
    private func stage() async throws -> Stage {
        let root = SceneAddress("root", parameters: ["n": "5"])
        let size = TerminalSize(columns: 40, rows: 12)
        let stage = Stage(SceneStack(root: root), size: size, clock: SkippingClock()) { [record] in
            RecordedScene($0, record)
        } show: { [shown] in
            shown.show($0)
        }
        try await stage.begin()
        return stage
    }

    @Test func theClearKeyAsksAndOnlyYesClears() async throws {
        let stage = try await stage()
        try await stage.take(.key(.control("x")))
        #expect(shown.text.contains("Clear root?") && shown.text.contains("[Keep: n]"))
        try await stage.take(.key(.character("+")))
        try await stage.take(.paste("99"))
        try await stage.take(.key(.escape))
        #expect(
            stage.top.title == "root 5",
            "keys and pastes have no effect while the alert is open, and Escape keeps the number")
        #expect(!shown.text.contains("Clear root?"))
        try await stage.take(.key(.control("x")))
        try await stage.take(.key(.character("y")))
        #expect(stage.top.title == "root 0")
    }

    /// Orders the scene to clear, as another program would, and returns when the alert is open.
    private func asking(_ stage: Stage) async throws -> Task<Void, any Error> {
        let action = try #require(try stage.top.take(SceneAddress("clear")))
        let program = Task { try await stage.performAnswered(action) }
        while stage.question == nil { await Task.yield() }
        return program
    }

    @Test func aProgramWaitsForTheAnswer() async throws {
        let stage = try await stage()
        let program = try await asking(stage)
        #expect(throws: SceneRefusal.self, "one question at a time") { try stage.refuseWhileAsking() }
        try await stage.take(.key(.character("y")))
        try await program.value
        #expect(stage.top.title == "root 0")
    }

    @Test func choosingToKeepCancelsTheRequest() async throws {
        let stage = try await stage()
        let program = try await asking(stage)
        try await stage.take(.key(.character("n")))
        await #expect(throws: CancellationError.self) { try await program.value }
        #expect(stage.top.title == "root 5")
    }

    @Test func cancellingARequestRemovesItsQuestion() async throws {
        let stage = try await stage()
        let program = try await asking(stage)
        program.cancel()
        await #expect(throws: CancellationError.self) { try await program.value }
        #expect(stage.question == nil && !shown.text.contains("Clear root?"))
        #expect(stage.top.title == "root 5")
    }
}
