import SceneManager
import Terminal
import Testing

struct AlertTests {
    private var alert = Alert.confirming("Clear?", message: "It will be gone.", doing: "Clear")

    @Test func nothingIsLostByEnterOrEscapeAlone() {
        var (first, second) = (alert, alert)
        #expect(first.press(.enter) == .answered(first.harmless))
        #expect(second.press(.escape) == .answered(second.harmless))
        #expect(alert.harmless != Alert.confirmed)
    }

    @Test func aChoiceIsMadeByKeyOrWithArrows() {
        var (byKey, byArrow) = (alert, alert)
        #expect(byKey.press(.character("Y")) == .answered(Alert.confirmed))
        #expect(byArrow.press(.left) == .open && byArrow.press(.enter) == .answered(Alert.confirmed))
        #expect(byArrow.press(.tab) == .open && byArrow.press(.enter) == .answered(byArrow.harmless))
    }

    @Test(arguments: [Key.character("x"), .character("あ"), .up, .delete, .control("c")])
    func otherKeysDoNotAnswer(_ key: Key) {
        var pressed = alert
        #expect(pressed.press(key) == .open && pressed == alert)
    }
}

struct WrappingTests {
    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("", 10, [""]), ("a\nb", 10, ["a", "b"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]), ("京都へ行きます", 6, ["京都へ", "行きま", "す"]),
        ("京都です。", 8, ["京都で", "す。"]), ("犬🐕と猫", 4, ["犬🐕", "と猫"]), ("Swiftと猫", 6, ["Swift", "と猫"]),
    ])
    func linesFitAndBreakAtWordBoundaries(_ text: String, _ columns: Int, _ lines: [String]) {
        #expect(text.wrapped(columns: columns) == lines)
        #expect(lines.allSatisfy { $0.displayWidth <= columns })
    }

    @Test(arguments: [("x", 50, 50), ("京", 50, 25), ("ab ", 74, 25)])
    func aLongTextIsWrapped(_ text: String, _ columns: Int, _ countOnLine: Int) {
        // The work grows with the length: if it grew with its square, this would take hours.
        let lines = String(repeating: text, count: 500_000).wrapped(columns: columns)
        #expect(lines.count == 500_000 / countOnLine && Set(lines).count == 1)
    }

    @Test func aCharacterThatIsWiderThanALineIsALine() {
        let wide = "🏳️‍🌈"
        #expect(wide.count == 1 && wide.displayWidth > 2)
        #expect((wide + wide).wrapped(columns: 2) == [wide, wide])
    }
}
