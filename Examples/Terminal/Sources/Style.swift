/// How a character is drawn.
public struct Style: Sendable, Hashable {
    public var isBold, isDim, isReversed: Bool
    /// The colour of the text; `nil` means the terminal's default.
    public var foreground: Color?
    public var background: Color?

    public init(
        isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false, foreground: Color? = nil,
        background: Color? = nil
    ) {
        (self.isBold, self.isDim, self.isReversed) = (isBold, isDim, isReversed)
        (self.foreground, self.background) = (foreground, background)
    }

    public static let plain = Style()
    public static let bold = Style(isBold: true)
    public static let dim = Style(isDim: true)
    public static let reversed = Style(isReversed: true)
}

/// A colour. If the terminal does not have it, it shows the nearest colour that it has.
public enum Color: Sendable, Hashable {
    /// One of 256: 0 to 7 are the basic colours, 8 to 15 their bright variants, 232 to 255 greys from black to white.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)

    /// The number of the colour on a terminal with this many colours.
    func number(of count: Int) -> Int32 {
        switch self {
        case .palette(let index): Int32(index) < count ? Int32(index) : Int32(index) % 8
        case .rgb(let red, let green, let blue): Self.nearest(to: [red, green, blue].map(Int.init), of: count)
        }
    }

    /// With 256 colours, 16 to 231 are a cube with 6 levels of red, green and blue, and 232 to 255 are 24 greys (xterm).
    /// Otherwise, only the 8 basic colours are used; their bits are red, green and blue (ECMA-48 §8.3.117).
    private static func nearest(to wanted: [Int], of count: Int) -> Int32 {
        guard count == 256 else { return Int32(wanted.reversed().reduce(0) { $0 * 2 + ($1 > 127 ? 1 : 0) }) }
        func distance(_ color: [Int]) -> Int { zip(wanted, color).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }
        let steps = wanted.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
        let grey = min(max((wanted.reduce(0, +) / 3 - 3) / 10, 0), 23)
        let level = Array(repeating: 8 + 10 * grey, count: 3)
        let isGrey = distance(level) < distance(steps.map { $0 > 0 ? 55 + 40 * $0 : 0 })
        return Int32(isGrey ? 232 + grey : steps.reduce(0) { $0 * 6 + $1 } + 16)
    }
}
