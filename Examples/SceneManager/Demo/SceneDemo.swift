import IPC
import SceneManager

@main @MainActor
struct SceneDemo {
    /// Scenes to try: a menu, a counter, a note, pages side by side, and a card with two sides.
    static func main() async {
        let root = SceneAddress("menu")
        await SceneProgram(id: "demo.Scenes", scheme: "scenes", root: root, factory: DemoScenes().scene).run()
    }
}

/// Creates the scenes of the demo.
@MainActor
struct DemoScenes {
    static let names = ["counter", "note", "pages", "card"]
    private let moments = Moments()

    func scene(_ address: SceneAddress) throws -> any Scene {
        switch address.name {
        case "menu": witnessed(address.name, MenuScene(address))
        case "counter": witnessed(address.name, CounterScene(address))
        case "note": witnessed(address.name, NoteScene(address))
        case "pages":
            witnessed(address.name, PagedScene(address, pages: ["Morning 朝", "Noon 昼", "Night 夜"].map(poster)))
        case "card":
            witnessed(
                address.name, FlipScene(address, front: poster("The question 問い"), back: poster("The answer 答え")))
        default:
            throw SceneRefusal(
                "there is no screen “\(address.name)”; the screens are menu, \(Self.names.joined(separator: ", "))",
                code: "no-such-screen")
        }
    }

    private func witnessed(_ name: String, _ scene: any Scene) -> any Scene {
        WitnessedScene(scene, named: name, moments)
    }

    private func poster(_ text: String) -> ChildScenes.Maker {
        { [self] in witnessed(text, PosterScene(text)) }
    }
}
