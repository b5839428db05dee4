/// How a character is drawn.
public struct Style: Sendable, Hashable {
    public var isBold = false
    public var isDim = false
    public var isUnderlined = false
    public var isReversed = false
    /// The colour of the text; `nil` means the terminal's default.
    public var foreground: Color?
    public var background: Color?

    public init(foreground: Color? = nil, background: Color? = nil) {
        self.foreground = foreground
        self.background = background
    }

    public static let plain = Style()
    public static let bold = make { $0.isBold = true }
    public static let dim = make { $0.isDim = true }
    public static let underlined = make { $0.isUnderlined = true }
    public static let reversed = make { $0.isReversed = true }

    private static func make(_ change: (inout Style) -> Void) -> Style {
        var style = Style()
        change(&style)
        return style
    }

    /// The sequence that makes the following text have this style (ECMA-48 §8.3.117, SGR).
    var sequence: String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isUnderlined { codes.append("4") }
        if isReversed { codes.append("7") }
        if let foreground { codes.append("38;\(foreground.code)") }
        if let background { codes.append("48;\(background.code)") }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}

public enum Color: Sendable, Hashable {
    /// One of 256: 0 to 7 are the basic colours, 8 to 15 their bright variants, 232 to 255 greys from black to white.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)

    fileprivate var code: String {
        switch self {
        case .palette(let index): "5;\(index)"
        case .rgb(let red, let green, let blue): "2;\(red);\(green);\(blue)"
        }
    }
}
