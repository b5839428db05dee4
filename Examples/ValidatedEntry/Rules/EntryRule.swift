/// What may be entered. A rule is asked about the whole text after a change, so it cannot matter whether the change was a key, a
/// paste or a deletion, nor where in the text it was.
public enum EntryRule: Sendable, Hashable {
    /// Digits, at most so many; zeros in front stay.
    case digits(most: Int)
    /// A number with at most so many decimal places, 1 or 2.
    case decimal(places: Int)
    /// An amount in yen with separators, and its sign.
    case yen(YenSign)
    /// A time of a day of 24 hours, as Japanese writes it: 14時05分.
    case time

    public enum YenSign: String, Sendable, Hashable, CaseIterable {
        /// ¥1,234
        case sign = "¥"
        /// 1,234円
        case suffix = "円"
    }

    /// The most digits of a number: all of them survive in a reader's `Double`.
    static let mostDigits = 15

    /// What the text after a change is to be; `nil` when it cannot be the beginning of what is asked for. Full-width characters are
    /// as good as others, blanks at both ends of a paste do not count, and nothing is always allowed.
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

    /// The text as it is given away; `nil` while something is missing.
    public func finish(_ text: String) -> String? {
        guard let shaped = shape(text), !shaped.isEmpty else { return nil }
        return switch self {
        case .digits, .yen: shaped
        case .decimal: shaped.hasSuffix(".") ? nil : shaped
        case .time: TimeOfDay(shaped)?.complete
        }
    }

    /// The sign in front, and the unit behind, that a shaped text has by itself. The cursor stays between them.
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
    /// What to enter, for the person who does.
    public var description: String {
        switch self {
        case .digits(let most): "at most \(most) digit\(most == 1 ? "" : "s")"
        case .decimal(let places): "a number with at most \(places) decimal place\(places == 1 ? "" : "s")"
        case .yen(let sign): "an amount in yen, such as \(sign == .sign ? "¥1,234" : "1,234円")"
        case .time: "a time of the day, such as 14時05分"
        }
    }
}

extension String {
    /// With full-width forms (U+FF01 to U+FF5E) as the ASCII that they stand for, and without blanks at both ends.
    var narrow: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0x3000: scalars.append(" ")
            // The ideographic full stop, as an input method gives it for the key of the point.
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
    /// Only 0 to 9. Other scripts have digits too, but those would have to be shown as what they are.
    var isDigits: Bool { utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

    /// Without zeros in front, but for the last one.
    var withoutLeadingZeros: String {
        let rest = drop { $0 == "0" }
        return rest.isEmpty && !isEmpty ? "0" : String(rest)
    }
}
