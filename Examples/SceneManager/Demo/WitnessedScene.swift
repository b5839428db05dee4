import SceneManager
import Terminal

/// The last moments of all scenes, newest last.
@MainActor
final class Moments {
    private(set) var lines: [String] = []

    func note(_ name: String, _ moment: String) { lines = (lines + ["\(name): \(moment)"]).suffix(11) }
}

/// Wraps a scene, and shows the latest moments of all scenes at the bottom of the screen.
final class WitnessedScene: Scene {
    private let scene: any Scene
    private let name: String
    private let moments: Moments

    init(_ scene: any Scene, named name: String, _ moments: Moments) {
        (self.scene, self.name, self.moments) = (scene, name, moments)
        moments.note(name, "init")
    }

    isolated deinit { moments.note(name, "released") }

    var title: String { scene.title }
    var address: SceneAddress { scene.address }
    var hint: String { scene.hint }
    var entrance: Transition? { scene.entrance }
    var exit: Transition? { scene.exit }

    func draw(on canvas: inout Canvas) {
        // On a low screen, fewer moments are shown, so that the scene's own rows stay free.
        let shown = moments.lines.suffix(max(0, canvas.size.rows - 8))
        let first = canvas.size.rows - shown.count - 1
        for (offset, line) in shown.enumerated() {
            canvas.write(line, at: Position(row: first + offset, column: 3), style: .dim)
        }
        scene.draw(on: &canvas)
    }

    func take(_ event: TerminalEvent) -> SceneAction { scene.take(event) }
    func take(_ order: SceneAddress) throws -> SceneAction? { try scene.take(order) }

    var isLoaded: Bool { scene.isLoaded }
    func load() async throws { try await scene.load() }

    func take(_ moment: SceneMoment) {
        switch moment {
        case .layout: break
        case .turned(let way), .finished(let way): moments.note(name, "\(word(moment)) (\(word(way.kind)))")
        default: moments.note(name, word(moment))
        }
        scene.take(moment)
    }

    /// The name of a case, without its values.
    private func word(_ value: Any) -> String { String("\(value)".prefix { $0 != "(" }) }
}
