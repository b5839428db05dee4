import Terminal
import Testing

@testable import SceneManager

@MainActor
struct TransitionTests {
    private let old = canvas("old 古い", fill: "o")
    private let new = canvas("new 新しい", fill: "n")

    private static func canvas(_ text: String, fill: String) -> Canvas {
        var canvas = Canvas(size: TerminalSize(columns: 12, rows: 2))
        canvas.write(text, at: Position(row: 0, column: 0))
        canvas.write(String(repeating: fill, count: 12), at: Position(row: 1, column: 0))
        return canvas
    }

    private func colours(_ canvas: Canvas) -> Set<Color?> {
        Set((0..<12).flatMap { [canvas[1, $0].style.foreground, canvas[1, $0].style.background] })
    }

    @Test(arguments: [Transition.Kind.fade(through: .white), .flip, .slide(forward: true), .slide(forward: false)])
    func startsAndEndsWithTheOriginalPictures(_ kind: Transition.Kind) {
        let way = Transition(kind, .seconds(1))
        #expect(way.picture(from: old, to: new, at: 0) == old)
        #expect(way.picture(from: old, to: new, at: 1) == new)
    }

    @Test(arguments: [Color.white, .black])
    func aFadeShowsOnlyItsColorInTheMiddle(_ colour: Color) {
        let way = Transition(.fade(through: colour), .seconds(1))
        #expect(colours(way.picture(from: old, to: new, at: 0.5)) == [colour])
        let before = way.picture(from: old, to: new, at: 0.25)
        #expect(before.text(row: 1) == "oooooooooooo" && !colours(before).contains(nil))
        #expect(colours(before) != [colour], "half of the way is not all of it")
        #expect(way.picture(from: old, to: new, at: 0.75).text(row: 1) == "nnnnnnnnnnnn")
    }

    @Test func aFlipNarrowsAndWidens() {
        let way = Transition(.flip, .seconds(1))
        #expect(way.picture(from: old, to: new, at: 0.25).text(row: 1) == "   oooooo")
        #expect(way.picture(from: old, to: new, at: 0.5).text(row: 1) == "")
        #expect(way.picture(from: old, to: new, at: 0.75).text(row: 1) == "   nnnnnn")
    }

    @Test func aSlideMovesBothAndSplitsNoCharacter() {
        let forward = Transition(.slide(forward: true), .seconds(1)).picture(from: old, to: new, at: 0.25)
        #expect(forward.text(row: 1) == "ooooooooonnn")
        #expect(forward.text(row: 0) == " 古い    new")
        let back = Transition(.slide(forward: false), .seconds(1)).picture(from: old, to: new, at: 0.25)
        #expect(back.text(row: 1) == "nnnooooooooo")
        #expect(back.text(row: 0) == "   old 古い", "the half of “い” that was to come in first is left out")
        let cut = Transition(.slide(forward: true), .seconds(1)).picture(from: old, to: new, at: 5.0 / 12)
        #expect(cut.text(row: 0) == " い    new", "half of “古” has moved out, and half of “新” in")
    }

    @Test func followsItsClockAndSwitchesOnceAtTheMidpoint() async {
        let clock = SkippingClock()
        var moments: [String] = []
        let way = Transition(.fade(through: .white), .milliseconds(100))
        await way.play(on: clock) {
            moments.append("turn")
        } show: {
            moments.append("\(Int(($0 * 100).rounded()))")
        }
        #expect(moments == ["0", "33", "turn", "66", "99", "100"])
        #expect(clock.now.offset == .milliseconds(100))
    }

    @Test func withoutDurationFinishesImmediately() async {
        var moments: [String] = []
        await Transition.cut.play(on: SkippingClock()) {
            moments.append("turn")
        } show: {
            moments.append("\($0)")
        }
        #expect(moments == ["turn", "1.0"])
    }

    @Test func whenCancelledJumpsToItsEndAndStillSwitches() async {
        let task = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            var moments: [String] = []
            let way = Transition(.flip, .seconds(1))
            await way.play(on: ContinuousClock()) {
                moments.append("turn")
            } show: {
                moments.append("\($0)")
            }
            return moments
        }
        #expect(await task.value == ["turn", "1.0"])
    }

    @Test func takesNoLongerThanTenSeconds() {
        #expect(Transition(.flip, .seconds(60)).duration == .seconds(10))
        #expect(Transition(.flip, .seconds(-1)).duration == .zero)
    }

    @Test func isParsedFromAURL() throws {
        var address = SceneAddress("push", argument: "a", parameters: ["fade": "black", "n": "1", "ms": "250"])
        #expect(try Transition.take(from: &address) == Transition(.fade(through: .black), .milliseconds(250)))
        #expect(address.description == "push/a?n=1")
        #expect(try Transition.take(from: &address) == nil)
        for query in ["fade=green", "fade=white&ms=x", "fade=white&ms=-1", "fade=black&ms=10001"] {
            var wrong = try #require(SceneAddress(parsing: "pop?\(query)"))
            #expect(throws: SceneRefusal.self) { try Transition.take(from: &wrong) }
        }
    }
}
