import SceneManager
import Terminal

/// Text in the middle of the screen, for the pages and for both sides of the card.
final class PosterScene: Scene {
    let title: String
    let address = SceneAddress("poster")

    init(_ text: String) { title = text }

    func draw(on canvas: inout Canvas) { canvas.writeCentred(title, row: 3) }
}

/// A scene that comes and leaves by a fade, and shows what the fade has reported.
final class FadeScene: Scene {
    let title = "Fade"
    let address = SceneAddress("fade")
    let entrance: Transition? = Transition(.fade(through: .white), .milliseconds(800))
    let exit: Transition? = Transition(.fade(through: .black), .milliseconds(800))
    private var report = "shown without a fade"

    func draw(on canvas: inout Canvas) { canvas.writeCentred(report, row: 3) }

    func take(_ moment: SceneMoment) {
        switch moment {
        case .turned: report = "the darkest moment is over"
        case .finished(let fade): report = "the fade has finished, after \(fade.duration)"
        default: break
        }
    }
}

/// A poem with two layouts: in lines on a wide terminal; in columns from right to left on a narrow one.
final class PoemScene: Scene {
    private static let lines = ["古池や", "蛙飛びこむ", "水の音"]
    let title = "Poem"
    let address = SceneAddress("poem")
    private var orientation = Orientation.wide

    func draw(on canvas: inout Canvas) {
        for (place, line) in Self.lines.enumerated() {
            switch orientation {
            case .wide: canvas.writeCentred(line, row: 2 + 2 * place)
            case .narrow:
                let column = canvas.size.columns / 2 + 3 - 4 * place
                for (row, character) in line.enumerated() {
                    canvas.write(String(character), at: Position(row: 2 + row, column: column), style: .bold)
                }
            }
        }
    }

    func take(_ moment: SceneMoment) {
        if case .layout(let orientation) = moment { self.orientation = orientation }
    }
}

extension Canvas {
    fileprivate mutating func writeCentred(_ text: String, row: Int) {
        write(text, at: Position(row: row, column: max(0, (size.columns - text.displayWidth) / 2)), style: .bold)
    }
}
