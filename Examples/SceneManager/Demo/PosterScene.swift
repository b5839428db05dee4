import SceneManager
import Terminal

/// A text in the middle: a child of the pages and of the card.
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
