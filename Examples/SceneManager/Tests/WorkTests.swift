import Terminal
import Testing

@testable import SceneManager

/// What scenes do in the background: loading, and work for a key or a URL.
@MainActor
struct WorkTests {
    private let shown = Shown()

    private func stage() async throws -> Stage {
        let stack = SceneStack(root: SceneAddress("root"))
        let stage = Stage(stack, size: TerminalSize(columns: 40, rows: 5), clock: SkippingClock()) {
            $0.name == "root" ? RecordedScene($0, Record()) as any Scene : LoadingScene($0)
        } show: { [shown] in
            shown.show($0)
        }
        try await stage.begin()
        return stage
    }

    private func push(_ stage: Stage, _ name: String = "page") async throws -> (LoadingScene, Task<Void, any Error>) {
        let work = try #require(try await stage.perform(.go(.push(SceneAddress(name)))))
        return (try #require(stage.top as? LoadingScene), work)
    }

    private var text: String { shown.canvas.text(row: 1) }

    @Test func `a scene loads when it becomes visible, and is drawn afterwards`() async throws {
        let stage = try await stage()
        let (scene, work) = try await push(stage)
        #expect(text == "<page: loading>")
        scene.server.answer(.success("犬"))
        try await work.value
        #expect(text == "<page: 犬>")
        #expect(try await stage.perform(.load) == nil, "nothing is missing")
    }

    @Test func `a scene shows why it has not loaded, and loads again on request`() async throws {
        let stage = try await stage()
        let (scene, work) = try await push(stage)
        scene.server.answer(.failure(SceneRefusal("no server", code: "down")))
        await #expect(throws: SceneRefusal("no server", code: "down")) { try await work.value }
        #expect(text == "<page: no server>" && stage.notice.isEmpty)
        try await stage.take(.key(.character("r")))
        scene.server.answer(.success("犬"))
        while scene.content == nil { await Task.yield() }
        stage.draw()
        #expect(text == "<page: 犬>")
    }

    @Test func `the reply to a URL waits for the loading`() async throws {
        let stage = try await stage()
        let reply = Task { try await stage.performAnswered(.go(.push(SceneAddress("page")))) }
        while stage.top.title != "page" { await Task.yield() }
        try #require(stage.top as? LoadingScene).server.answer(.failure(SceneRefusal("no server", code: "down")))
        await #expect(throws: SceneRefusal("no server", code: "down")) { try await reply.value }
    }

    @Test(arguments: ["cancel", "leave", "withdraw", "end"])
    func `loading can be cancelled`(_ way: String) async throws {
        let stage = try await stage()
        let reply = Task { try await stage.performAnswered(.go(.push(SceneAddress("page")))) }
        while stage.top.title != "page" { await Task.yield() }
        let scene = try #require(stage.top as? LoadingScene)
        switch way {
        case "cancel": try await stage.take(.key(.escape))
        case "leave": try await stage.go(.pop)
        case "withdraw": reply.cancel()
        default: stage.end()
        }
        await #expect(throws: CancellationError.self) { try await reply.value }
        #expect(scene.content == nil)
    }

    @Test func `work performs its action, if its scene is still visible`() async throws {
        let stage = try await stage()
        let (scene, loading) = try await push(stage)
        scene.server.answer(.success("犬"))
        try await loading.value
        let work = try #require(try await stage.perform(.run { .go(.replace(SceneAddress("root"))) }))
        try await work.value
        #expect(stage.addresses.map(\.name) == ["root", "root"])
        let late = Server()
        let covered = try #require(
            try await stage.perform(
                .run {
                    _ = try await late.question()
                    return .go(.popToRoot)
                }))
        try await stage.go(.push(SceneAddress("page")))
        late.answer(.success(""))
        try await covered.value
        #expect(stage.addresses.map(\.name) == ["root", "root", "page"])
    }

    @Test func `work may end its own scene by a fade`() async throws {
        let stage = try await stage()
        shown.canvases = []
        let fade = Transition(.fade(through: .white), .seconds(1))
        let work = try await stage.perform(.run { .go(.replace(SceneAddress("page")), by: fade) })
        try await work?.value
        #expect(stage.addresses.map(\.name) == ["page"])
        #expect(shown.canvases.count > 30, "the fade is played to its end")
    }

    @Test func `the error of work is a notice, unless it was cancelled`() async throws {
        let stage = try await stage()
        let failed = try await stage.perform(.run { throw SceneRefusal("no browser", code: "none") })
        await #expect(throws: SceneRefusal.self) { try await failed?.value }
        #expect(shown.canvas.text(row: 4).contains("no browser"))
        stage.notice = ""
        let server = Server()
        let work = try await stage.perform(
            .run {
                _ = try await server.question()
                return .redraw
            })
        try await stage.perform(.cancel)
        await #expect(throws: CancellationError.self) { try await work?.value }
        #expect(stage.notice.isEmpty)
    }

    @Test func `work that fails because it was cancelled was cancelled`() async throws {
        let stage = try await stage()
        let server = Server()
        let work = try await stage.perform(
            .run {
                do { _ = try await server.question() } catch { throw SceneRefusal("the call has ended", code: "gone") }
                return .redraw
            })
        try await stage.perform(.cancel)
        await #expect(throws: CancellationError.self) { try await work?.value }
    }
}

/// A server that answers when the test says so.
@MainActor
private final class Server {
    private var waiting: [CheckedContinuation<String, any Error>] = []
    private var answers: [Result<String, any Error>] = []

    func question() async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                if Task.isCancelled { return waiter.resume(throwing: CancellationError()) }
                if answers.isEmpty { waiting.append(waiter) } else { waiter.resume(with: answers.removeFirst()) }
            }
        } onCancel: {
            Task { @MainActor in self.answer(.failure(CancellationError())) }
        }
    }

    func answer(_ answer: Result<String, any Error>) {
        if waiting.isEmpty { answers.append(answer) } else { waiting.removeFirst().resume(with: answer) }
    }
}

/// A scene that loads its content: `NAME`.
@MainActor
private final class LoadingScene: Scene {
    let server = Server()
    let address: SceneAddress
    private(set) var content: String?
    private var state = "not loaded"

    init(_ address: SceneAddress) { self.address = address }

    var title: String { address.name }
    var isLoaded: Bool { content != nil }

    func load() async throws {
        state = "loading"
        do { content = try await server.question() } catch {
            state = "\(error)"
            throw error
        }
    }

    func draw(on canvas: inout Canvas) {
        canvas.write("<\(title): \(content ?? state)>", at: Position(row: 0, column: 0))
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.escape): .cancel
        case .key(.character("r")): .load
        default: .pass
        }
    }
}
