/// A rule for the input. It judges the whole text after a change, so it does not matter whether the change was a key, a
/// paste or a deletion, or where in the text it was.
public enum EntryRule: Sendable, Hashable {
    /// At most this many digits; leading zeros are kept.
    case digits(most: Int)
    /// A number with at most this many decimal places, 1 or 2.
    case decimal(places: Int)
    /// An amount in yen with separators, and the position of its sign.
    case yen(YenSign)
    /// A time of day in 24-hour format, as written in Japanese: 14時05分.
    case time

    public enum YenSign: String, Sendable, Hashable, CaseIterable {
        /// The sign is in front, as in ¥1,234.
        case sign = "¥"
        /// The unit is at the end, as in 1,234円.
        case suffix = "円"
    }

    /// The maximum number of digits of a number. A `Double`, which a reader of the answer may use, keeps all of them.
    static let mostDigits = 15

    /// Returns the text to show after a change; `nil` if it cannot become a valid answer. Full-width characters are
    /// accepted like any others, blanks at both ends of a paste are ignored, and empty text is always allowed.
    public func shape(_ text: String) -> String? {
        let text = text.narrow
        guard !text.isEmpty else { return "" }
        return switch self {
        case .digits(let most): text.isDigits && text.count <= most ? text : nil
        case .decimal(let places): Decimal(text, places: places)?.text
        case .yen(let sign): Yen(text)?.text(sign)
        case .time: TimeOfDay(text)?.text
        }
    }

    /// Returns the text to submit; `nil` while something is missing.
    public func finish(_ text: String) -> String? {
        guard let shaped = shape(text), !shaped.isEmpty else { return nil }
        return switch self {
        case .digits, .yen: shaped
        case .decimal: shaped.hasSuffix(".") ? nil : shaped
        case .time: TimeOfDay(shaped)?.complete
        }
    }

    /// The sign in front of the text, and the unit after it, that the rule adds. The cursor stays between them.
    var prefix: String { self == .yen(.sign) ? "¥" : "" }
    var suffix: String {
        switch self {
        case .yen(.suffix): "円"
        case .time: "分"
        case .yen(.sign), .digits, .decimal: ""
        }
    }
}

extension EntryRule: CustomStringConvertible {
    /// A description of the expected input for the user.
    public var description: String {
        switch self {
        case .digits(let most): "at most \(most) digit\(most == 1 ? "" : "s")"
        case .decimal(let places): "a number with at most \(places) decimal place\(places == 1 ? "" : "s")"
        case .yen(let sign): "an amount in yen, such as \(sign == .sign ? "¥1,234" : "1,234円")"
        case .time: "a time of day, such as 14時05分"
        }
    }
}

extension String {
    /// The text with full-width forms (U+FF01 to U+FF5E) converted to ASCII, and without blanks at both ends.
    var narrow: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0x3000: scalars.append(" ")
            // The ideographic full stop, which an input method produces for the period key.
            case 0x3002, 0xFF61: scalars.append(".")
            case 0xFFE5: scalars.append("¥")
            default: scalars.append(scalar)
            }
        }
        let text = String(scalars).drop(while: \.isWhitespace)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension StringProtocol {
    /// Whether all characters are digits from 0 to 9. Digits of other scripts do not count: they would have to stay
    /// as they are in the formatted text.
    var isDigits: Bool { utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// The text without leading zeros. If it has only zeros, one of them stays.
    var withoutLeadingZeros: String {
        let rest = drop { $0 == "0" }
        return rest.isEmpty && !isEmpty ? "0" : String(rest)
    }
}
