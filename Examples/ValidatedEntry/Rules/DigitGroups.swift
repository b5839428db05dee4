/// Groups of digits with separators between them, such as a date, as entered so far.
///
/// Separators may be left out: a group takes as many digits as its value can have, so 1405 is 14:05, and 905 is 9:05. A
/// separator that is entered ends its group: 1:30 is not read as 13:0.
///
/// 24:00 can be entered, because it may be corrected next, but it is not an answer. If the 4 began the next group instead,
/// the same keys would give 2:40.
struct DigitGroups {
    struct Group: Sendable {
        /// The characters that may stand in front of the group. The first one is displayed.
        var separators = ""
        /// The largest value.
        let largest: Int
        /// The minimum number of digits in a complete group.
        var fewestDigits = 1

        func takes(_ digits: String) -> Bool {
            digits.count <= "\(largest)".count && (Int(digits.dropLast() + "0") ?? 0) <= largest
        }
    }

    private let layout: [Group]
    /// The digits of each group that has been started.
    private let digits: [String]

    init?(_ text: String, _ layout: [Group]) {
        var digits = [""]
        for (place, character) in zip(text.indices, text) {
            let next = digits.count < layout.count ? layout[digits.count] : nil
            let longer = digits[digits.count - 1] + String(character)
            if "\(character)".isDigits, layout[digits.count - 1].takes(longer) {
                digits[digits.count - 1] = longer
            } else if "\(character)".isDigits, let next, next.takes(String(character)) {
                digits.append(String(character))
            } else if let next, next.separators.contains(character) {
                digits.append("")
            } else {
                // Ignore spaces after the last group.
                guard text[place...].allSatisfy(\.isWhitespace) else { return nil }
                break
            }
        }
        (self.layout, self.digits) = (layout, digits)
    }

    var text: String { zip(layout, digits).map { String($0.separators.prefix(1)) + $1 }.joined() }

    /// The values of all groups; `nil` while one is incomplete or too large.
    var numbers: [Int]? {
        let values = zip(layout, digits).compactMap { group, digits in
            Int(digits).flatMap { digits.count >= group.fewestDigits && $0 <= group.largest ? $0 : nil }
        }
        return values.count == layout.count ? values : nil
    }

    func draft(_ answer: (EntryMoment) -> EntryAnswer) -> EntryDraft {
        EntryDraft(text: text, answer: numbers.flatMap { EntryMoment($0) }.map(answer))
    }
}

extension [DigitGroups.Group] {
    static let date: Self = [
        Element(largest: 9999, fewestDigits: 4), Element(separators: "/-.", largest: 12),
        Element(separators: "/-.", largest: 31),
    ]
    static let datetime = date + [Element(separators: " T", largest: 23), Element(separators: ":", largest: 59)]

    /// Hours up to this maximum, and minutes.
    static func time(_ largest: Int) -> Self { [Element(largest: largest), Element(separators: ":時", largest: 59)] }
}

extension EntryDraft {
    /// Reads a time from 0:00 to 23:59. The Japanese units may be entered too, and 午前 or 午後 before the hours 0 to 11.
    init?(time text: String) {
        let text = text.trimmed.hasSuffix("分") ? String(text.trimmed.dropLast()) : text
        let half = text.prefix { "午前後".contains($0) }
        let digits = String(text.dropFirst(half.count))
        let isHalf = half == "午前" || half == "午後"
        guard half.isEmpty || isHalf || half == "午" && digits.isEmpty,
            let groups = DigitGroups(digits, .time(isHalf ? 11 : 23))
        else { return nil }
        let moment = groups.numbers.flatMap { EntryMoment([$0[0] + (half == "午後" ? 12 : 0), $0[1]]) }
        self.init(text: half + groups.text, answer: moment?.timeOfDay(.japanese))
    }

    /// Reads a time from 12:00 AM to 11:59 PM. The first letter of AM or PM is enough for an answer.
    init?(halfDayTime text: String) {
        let text = text.uppercased().trimmed
        let digits = text.prefix { !"AP".contains($0) }
        let half = text.dropFirst(digits.count)
        guard ["AM", "PM"].contains(where: { $0.hasPrefix(half) }) else { return nil }
        guard let groups = DigitGroups(String(digits), .time(12)) else { return nil }
        let numbers = half.isEmpty || groups.numbers?[0] == 0 ? nil : groups.numbers
        let moment = numbers.flatMap { EntryMoment([$0[0] % 12 + (half.hasPrefix("P") ? 12 : 0), $0[1]]) }
        // Foundation prints this space too.
        self.init(text: groups.text + (half.isEmpty ? "" : "\u{202F}\(half)"), answer: moment?.timeOfDay(.american))
    }
}
