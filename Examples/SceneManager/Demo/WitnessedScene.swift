import SceneManager
import Terminal

/// The last eight events of all scenes, newest last.
@MainActor
final class Moments {
    private(set) var lines: [String] = []

    func note(_ name: String, _ moment: String) { lines = (lines + ["\(name): \(moment)"]).suffix(8) }
}

/// Wraps a scene, and shows the latest events of all scenes at the bottom of the screen.
final class WitnessedScene: Scene {
    private let scene: any Scene
    private let name: String
    private let moments: Moments

    init(_ scene: any Scene, named name: String, _ moments: Moments) {
        (self.scene, self.name, self.moments) = (scene, name, moments)
        moments.note(name, "created")
    }

    isolated deinit { moments.note(name, "released") }

    var title: String { scene.title }
    var address: SceneAddress { scene.address }
    var hint: String { scene.hint }

    func draw(on canvas: inout Canvas) {
        let first = max(7, canvas.size.rows - moments.lines.count - 2)
        for (row, line) in moments.lines.enumerated() {
            canvas.write(line, at: Position(row: first + row, column: 3), style: .dim)
        }
        scene.draw(on: &canvas)
    }

    func take(_ event: TerminalEvent) -> SceneAction { scene.take(event) }
    func take(_ order: SceneAddress) throws -> SceneAction? { try scene.take(order) }

    var isLoaded: Bool { scene.isLoaded }
    func load() async throws { try await scene.load() }

    func sleep() {
        moments.note(name, "sleeps")
        scene.sleep()
    }

    func restore() {
        moments.note(name, "restored")
        scene.restore()
    }

    func end() {
        moments.note(name, "ended")
        scene.end()
    }

    func letGo() { scene.letGo() }
}
