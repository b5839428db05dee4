import SceneManager
import Terminal

/// The root: a menu of the other scenes.
final class MenuScene: Scene {
    private var row: Int

    init(_ address: SceneAddress) {
        row = min(max(address.number("row") ?? 0, 0), DemoScenes.names.count - 1)
    }

    let title = "Scenes"
    let hint = "↑ ↓: choose   enter: fade through white   b: through black"

    var address: SceneAddress {
        var address = SceneAddress("menu")
        address["row"] = row == 0 ? nil : "\(row)"
        return address
    }

    func draw(on canvas: inout Canvas) {
        for (place, name) in DemoScenes.names.enumerated() {
            let style = place == row ? Style.chosen : .plain
            canvas.write(" \(name) ", at: Position(row: 1 + place, column: 3), style: style)
        }
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.up): row = max(0, row - 1)
        case .key(.down): row = min(DemoScenes.names.count - 1, row + 1)
        case .key(.enter): return push(.white)
        case .key(.character("b")): return push(.black)
        default: return .pass
        }
        return .redraw
    }

    private func push(_ colour: Colour) -> SceneAction {
        .go(.push(SceneAddress(DemoScenes.names[row])), by: Transition(.fade(through: colour), .milliseconds(400)))
    }
}
