/// An amount in yen that is being entered. Separators are added again after each change, wherever they were before.
struct Yen {
    /// The digits; empty if all were deleted and only the sign is left.
    let digits: String

    init?(_ text: String) {
        var text = Substring(text)
        if text.hasPrefix("¥") { text = text.dropFirst() }
        if text.hasSuffix("円") { text = text.dropLast() }
        let digits = text.filter { $0 != "," }
        guard digits.isDigits, digits.withoutLeadingZeros.count <= EntryRule.mostDigits else { return nil }
        self.digits = digits.withoutLeadingZeros
    }

    func text(_ sign: EntryRule.YenSign) -> String {
        guard !digits.isEmpty else { return "" }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return sign == .sign ? "¥\(grouped)" : "\(grouped)円"
    }
}
