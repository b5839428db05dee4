import Foundation
import IPC
import Testing
import WindowFrames

struct WindowFramesTests {
    private static let screen = CGRect(x: 0, y: 0, width: 1920, height: 1080)

    /// Numbers that are lost easily: by rounding, as a Float, as a decimal text, or by a comparison that ignores the sign
    /// of zero.
    private static let numbers: [Double] = [
        0, -0.0, 0.1 + 0.2, 1 / 3, .pi, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
        .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e23, 0x1p53 + 2,
        .infinity, -.infinity, Double(Float.greatestFiniteMagnitude) * 2,
    ]

    @Test func everyNumberComesBackBitForBit() throws {
        let frames = WindowFrames(
            frames: Self.numbers.flatMap { first in
                Self.numbers.map { CGRect(x: first, y: $0, width: -first, height: -$0) }
            } + [.null, .infinite, .zero], pointer: CGPoint(x: -0.0, y: 0.1 + 0.2))
        let back = try #require(try PasteboardItem.value(frames).value(WindowFrames.self))
        #expect(back.numbers.map(\.bitPattern) == frames.numbers.map(\.bitPattern))
    }

    /// Other programs rely on this form.
    @Test func theJSONIsThatOfTheDocument() throws {
        let frames = WindowFrames(
            frames: [CGRect(x: 0, y: 25.5, width: 640, height: 480)], pointer: CGPoint(x: 12, y: -0.0))
        let json = try PasteboardItem.value(frames).representations[0].value
        #expect(json == .text(#"{"frames":[[["0.0","25.5"],["640.0","480.0"]]],"pointer":["12.0","-0.0"]}"#))
        let read = try PasteboardItem.data(Array(#"{"frames":[[[1,"2"],[-0.0,4e0]]]}"#.utf8), type: .json)
            .value(WindowFrames.self)
        #expect(try #require(read).numbers.map(\.bitPattern) == [1, 2, -0.0, 4].map(\.bitPattern))
    }

    private func read(_ json: String) throws -> WindowFrames? {
        try PasteboardItem.data(Array(json.utf8), type: .json).value()
    }

    @Test(arguments: [
        #"[[["1","2"],["3","4"],["5","6"]]]"#, #"[[["1","2","3"],["1","1"]]]"#, #"[[["1","2"],["3"]]]"#, "[[1,2,3,4]]",
        "[[]]", "{}", #"[["12","34"]]"#,
    ]) func aFrameHasExactlyFourNumbers(frames: String) throws {
        #expect(throws: IPCError.self) { try read(#"{"frames":\#(frames)}"#) }
        #expect(try read(#"{"frames":[[["1","2"],["3","4"]]],"pointer":[1,2]}"#)?.numbers == [1, 2, 3, 4, 1, 2])
        #expect(throws: IPCError.self) { try read(#"{"frames":[],"pointer":[1,2,3]}"#) }
    }

    @Test func aNumberIsDecimalOrInfinite() {
        for text in ["0x1p3", "nan", "NaN", "infinity", "+inf", "Inf", "1_0", " 1", "1 ", "１", "", "1e999", "e5", "-"] {
            #expect(Double(decimal: text) == nil, "\(text)")
        }
        for text in ["1", "-0.0", "+1.", ".5", "1E5", "1e+23", "5e-324", "inf", "-inf"] {
            #expect(Double(decimal: text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test(arguments: [
        (CGRect(x: 100, y: 50, width: 800, height: 600), CGRect(x: 100, y: 50, width: 800, height: 600)),
        (CGRect(x: 2000, y: 900, width: 800, height: 600), CGRect(x: 1120, y: 480, width: 800, height: 600)),
        (CGRect(x: -300, y: -1, width: 800, height: 600), CGRect(x: 0, y: 0, width: 800, height: 600)),
        (CGRect(x: 10, y: 10, width: 3000, height: 600), CGRect(x: 0, y: 10, width: 1920, height: 600)),
        (CGRect(x: 900, y: 700, width: -800, height: -600), CGRect(x: 100, y: 100, width: 800, height: 600)),
        (.null, CGRect(x: 1920, y: 1080, width: 0, height: 0)), (.infinite, screen),
        (CGRect(x: -.infinity, y: .infinity, width: .infinity, height: -.infinity), screen),
    ]) func aFrameIsMovedByTheLeastDistance(frame: CGRect, expected: CGRect) {
        #expect(frame.moved(into: Self.screen) == expected)
    }

    /// A random number, in half of the cases a whole one, so that edges meet.
    private func number(_ range: ClosedRange<Double>) -> Double {
        let number = Double.random(in: range)
        return Bool.random() ? number : number.rounded()
    }

    private func frame(_ place: ClosedRange<Double>, _ size: ClosedRange<Double>) -> CGRect {
        CGRect(x: number(place), y: number(place), width: number(size), height: number(size))
    }

    private func isInside(_ frame: CGRect, _ area: CGRect, slack: Double) -> Bool {
        frame.minX >= area.minX - slack && frame.minY >= area.minY - slack && frame.maxX <= area.maxX + slack
            && frame.maxY <= area.maxY + slack
    }

    @Test func movedFramesAreInTheAreaAndOthersKeepTheirBits() {
        var unmoved = 0
        for _ in 0..<20_000 {
            let (area, frame) = (frame(-100...100, 1...200), frame(-150...150, -50...250))
            let moved = frame.moved(into: area)
            let bits = moved.numbers.map(\.bitPattern)
            #expect(isInside(moved, area, slack: 1e-10), "\(frame) into \(area)")
            #expect(moved.moved(into: area).numbers.map(\.bitPattern) == bits, "\(frame) into \(area), twice")
            if isInside(frame, area, slack: 0), frame.size.width >= 0, frame.size.height >= 0 {
                #expect(bits == frame.numbers.map(\.bitPattern), "\(frame) into \(area)")
                unmoved += 1
            }
        }
        #expect(unmoved > 20)
    }

    @Test func thePointerIsMovedToTheNearestPoint() {
        let frames = WindowFrames(frames: [], pointer: CGPoint(x: 4_000, y: -5)).moved(into: Self.screen)
        #expect(frames.pointer == CGPoint(x: 1920, y: 0))
        #expect(WindowFrames(frames: []).moved(into: Self.screen).pointer == nil)
    }
}
