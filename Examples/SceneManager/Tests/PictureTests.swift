import Terminal
import Testing

@testable import SceneManager

struct PictureTests {
    @Test(arguments: [
        (80, 24, Orientation.wide), (48, 24, .wide), (47, 24, .narrow), (40, 30, .narrow), (1, 1, .narrow),
    ])
    func aCellIsTwiceAsTallAsWide(_ columns: Int, _ rows: Int, _ orientation: Orientation) {
        #expect(Orientation(TerminalSize(columns: columns, rows: rows)) == orientation)
    }

    @Test func anIconIsDrawnAboveItsKeyAndLabel() {
        var canvas = Canvas(size: TerminalSize(columns: 20, rows: 6))
        IconLabel("🍃", "poem", key: "6").draw(on: &canvas, at: Position(row: 1, column: 2), isFocused: true)
        #expect((0..<6).map(canvas.text) == ["", "", "        🍃", "      6 poem", "", ""])
        #expect(canvas[1, 2].style == .chosen && canvas[4, 15].style == .chosen)
        #expect(canvas[1, 1].style == .plain && canvas[4, 16].style == .plain && canvas[5, 2].style == .plain)
    }

    @Test func anIconAtTheEdgeIsCut() {
        var canvas = Canvas(size: TerminalSize(columns: 6, rows: 2))
        let icon = IconLabel("🍃", "a very long label", key: "6")
        icon.draw(on: &canvas, at: Position(row: 0, column: 0), isFocused: false)
        icon.draw(on: &canvas, at: Position(row: 1, column: 30), isFocused: false)
        #expect((0..<2).map(canvas.text) == ["", ""])
    }

    @Test func anAlertOnALowTerminalKeepsItsButtons() {
        let alert = Alert.confirming("Clear?", message: "1\n2\n3\n4", doing: "Clear")
        func lines(_ rows: Int) -> [String] {
            let canvas = Canvas(size: TerminalSize(columns: 30, rows: rows)).under(alert)
            return (0..<rows).map(canvas.text).map { $0.filter { !" │".contains($0) } }
        }
        #expect(lines(7).dropFirst().dropLast() == ["Clear?", "1", "…", "", "[Clear:y][Keep:n]"])
        #expect(lines(3).dropLast() == ["", "[Clear:y][Keep:n]"])
    }

    @Test func anAlertIsDrawnInTheMiddle() {
        let alert = Alert.confirming("Clear?", message: "It will be gone.", doing: "Clear")
        let canvas = Canvas(size: TerminalSize(columns: 30, rows: 10)).under(alert)
        #expect(
            (0..<10).map(canvas.text) == [
                "", "", "  ╭───────────────────────╮", "  │ Clear?                │", "  │ It will be gone.      │",
                "  │                       │", "  │ [Clear: y]  [Keep: n] │", "  ╰───────────────────────╯", "", "",
            ])
    }
}
