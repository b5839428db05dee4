import SceneManager
import Terminal

/// A scene with text in the middle of the screen. It is used for the pages and for both sides of the card.
final class PosterScene: Scene {
    private let text: String

    init(_ text: String) { self.text = text }

    var title: String { text }
    var address: SceneAddress { SceneAddress("poster") }

    func draw(on canvas: inout Canvas) {
        let column = max(0, (canvas.size.columns - text.displayWidth) / 2)
        canvas.write(text, at: Position(row: 3, column: column), style: .bold)
    }
}
