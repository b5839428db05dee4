public import Terminal

/// A 24-bit colour, which can be mixed with another.
public struct Colour: Sendable, Hashable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    public static let black = Colour(0, 0, 0)
    public static let white = Colour(255, 255, 255)
    /// The colour that is used for the terminal's default text colour, which cannot be queried.
    static let text = Colour(204, 204, 204)

    /// Returns this colour mixed with a share of another one: 0 is this colour, 1 the other.
    func mixed(with other: Colour, share: Double) -> Colour {
        func mix(_ one: UInt8, _ other: UInt8) -> UInt8 {
            UInt8((Double(one) + (Double(other) - Double(one)) * min(max(share, 0), 1)).rounded())
        }
        return Colour(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
    }

    /// The same colour as a value for the terminal.
    public var onTerminal: Color { .rgb(red: red, green: green, blue: blue) }

    /// Converts a terminal's colour. Palette colours differ between terminals, so the default colour `own` is used for
    /// them.
    init(_ color: Color?, default own: Colour) {
        if case .rgb(let red, let green, let blue) = color { self.init(red, green, blue) } else { self = own }
    }
}

extension Style {
    /// The style of a selected row: white on blue.
    public static let chosen = {
        var style = Style(foreground: Colour.white.onTerminal, background: Colour(0, 70, 140).onTerminal)
        style.isBold = true
        return style
    }()

    /// Returns the style with a share of a colour mixed into text and background; 1 hides the text.
    func mixed(with colour: Colour, share: Double) -> Style {
        let (text, paper) = (Colour(foreground, default: .text), Colour(background, default: .black))
        var mixed = self
        mixed.foreground = (isReversed ? paper : text).mixed(with: colour, share: share).onTerminal
        mixed.background = (isReversed ? text : paper).mixed(with: colour, share: share).onTerminal
        // Terminals show dim and bold text in other colours, so both attributes are removed in the course of the
        // mixing.
        (mixed.isReversed, mixed.isDim, mixed.isBold) = (false, isDim && share < 0.5, isBold && share < 0.5)
        return mixed
    }
}

extension Canvas {
    /// Returns the canvas with a share of a colour mixed into all of it, and without a cursor.
    func mixed(with colour: Colour, share: Double) -> Canvas {
        var canvas = self
        canvas.cursor = nil
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                canvas[row, column].style = self[row, column].style.mixed(with: colour, share: share)
            }
        }
        return canvas
    }

    /// Draws another canvas, or some of its columns, with its upper left corner at a position. Characters of which only
    /// half would be visible are left out.
    mutating func draw(_ other: Canvas, columns: Range<Int>? = nil, row: Int = 0, column: Int = 0) {
        let columns = columns ?? 0..<other.size.columns
        for otherRow in 0..<other.size.rows {
            for place in columns {
                let cell = other[otherRow, place]
                guard let character = cell.character, cell.style != .plain || character != " " else { continue }
                let target = Position(row: row + otherRow, column: column + place - columns.lowerBound)
                write(String(character), at: target, style: cell.style, columns: columns.upperBound - place)
            }
        }
        if let cursor = other.cursor, columns.contains(cursor.column) {
            self.cursor = Position(row: row + cursor.row, column: column + cursor.column - columns.lowerBound)
        }
    }
}
