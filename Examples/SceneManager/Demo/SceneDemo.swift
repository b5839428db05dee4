import IPC
import SceneManager
import Terminal

@main @MainActor
struct SceneDemo {
    /// Scenes to try, behind the six icons of a menu.
    static func main() async {
        let root = SceneAddress("menu")
        await SceneProgram(id: "demo.Scenes", scheme: "scenes", root: root, factory: DemoScenes().scene).run()
    }
}

/// Creates the scenes of the demo.
@MainActor
struct DemoScenes {
    private let moments = Moments()

    func scene(_ address: SceneAddress) throws -> any Scene {
        let scene: any Scene =
            switch address.name {
            case "menu": try MenuScene(address)
            case "counter": try CounterScene(address)
            case "note": NoteScene(address)
            case "pages": try PagedScene(address, pages: ["Morning 朝", "Noon 昼", "Night 夜"].map(poster))
            case "card":
                try PagedScene(
                    address, .card, pages: ["The question 問い", "The answer 答え"].map(poster),
                    entrance: Transition(.flip, .milliseconds(300)),
                    exit: Transition(.slide(forward: false), .milliseconds(300)))
            case "fade": FadeScene()
            case "poem": PoemScene()
            default:
                throw SceneRefusal(
                    "there is no screen “\(address.name)”; the screens are menu, "
                        + MenuScene.icons.map(\.label).joined(separator: ", "), code: "no-such-screen")
            }
        return WitnessedScene(scene, named: address.name, moments)
    }

    private func poster(_ text: String) -> ChildScenes.Maker {
        { [moments] in WitnessedScene(PosterScene(text), named: text, moments) }
    }
}
