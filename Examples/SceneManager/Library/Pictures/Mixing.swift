public import Terminal

extension Color {
    public static let black = Color.rgb(red: 0, green: 0, blue: 0)
    public static let white = Color.rgb(red: 255, green: 255, blue: 255)

    /// The parts red, green and blue. The colours of a terminal's palette are unknown, so a grey stands for them.
    fileprivate static func parts(_ colour: Color?, orGrey grey: Double) -> SIMD3<Double> {
        guard case .rgb(let red, let green, let blue) = colour else { return SIMD3(repeating: grey) }
        return SIMD3(Double(red), Double(green), Double(blue))
    }

    fileprivate init(_ parts: SIMD3<Double>) {
        let rounded = parts.rounded(.toNearestOrAwayFromZero)
        self = .rgb(red: UInt8(rounded.x), green: UInt8(rounded.y), blue: UInt8(rounded.z))
    }
}

extension Style {
    /// The style of a selected row: white on blue.
    public static let chosen = {
        var style = Style(foreground: .white, background: .rgb(red: 0, green: 70, blue: 140))
        style.isBold = true
        return style
    }()

    /// Returns the style with a share of a colour, from 0 to 1, mixed into text and background; 1 hides the text.
    func mixed(with colour: Color, share: Double) -> Style {
        let goal = Color.parts(colour, orGrey: 0)
        func mix(_ parts: SIMD3<Double>) -> Color { Color(parts + (goal - parts) * share) }
        let (text, paper) = (Color.parts(foreground, orGrey: 204), Color.parts(background, orGrey: 0))
        var mixed = self
        mixed.foreground = mix(isReversed ? paper : text)
        mixed.background = mix(isReversed ? text : paper)
        // Terminals show dim and bold text in other colours, so both attributes are removed in the course of the
        // mixing.
        (mixed.isReversed, mixed.isDim, mixed.isBold) = (false, isDim && share < 0.5, isBold && share < 0.5)
        return mixed
    }
}

extension Canvas {
    /// Returns the canvas with a share of a colour mixed into all of it, and without a cursor.
    func mixed(with colour: Color, share: Double) -> Canvas {
        var canvas = self
        canvas.cursor = nil
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                canvas[row, column].style = self[row, column].style.mixed(with: colour, share: share)
            }
        }
        return canvas
    }

    /// Draws another canvas, or some of its columns, with its upper left corner at a position. A character is left
    /// out if only half of it would be visible.
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
