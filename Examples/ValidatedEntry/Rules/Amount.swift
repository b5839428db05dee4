internal import FoundationEssentials

/// A number that is being entered. Separators are placed anew after each change, wherever they were before.
struct Amount {
    /// The maximum number of digits. A program may read the answer as a `Double`, which keeps this many digits exactly.
    static let mostDigits = 15

    /// The digits before the point; empty if all were deleted.
    private let whole: String
    /// The digits after the point; `nil` if there is no point.
    private let fraction: String?

    init?(_ text: String, digits most: Int = mostDigits, places: Int = 0) {
        let parts = text.trimmed.filter { $0 != "," }
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy(\.isDigits) else { return nil }
        (whole, fraction) = (parts[0], parts.count == 2 ? parts[1] : nil)
        guard whole.drop(while: { $0 == "0" }).count <= most else { return nil }
        guard fraction == nil || places > 0, fraction?.count ?? 0 <= places else { return nil }
    }

    /// Creates an amount from a text that may have ¥ in front, or 円 at the end.
    init?(yen text: String) {
        let number = text.trimmed.hasSuffix("円") ? String(text.trimmed.dropLast()) : text
        self.init(number.hasPrefix("¥") ? String(number.dropFirst()) : number)
    }

    /// - Parameters:
    ///   - whole: formats the digits before the point while the number is being entered.
    ///   - complete: formats the complete number. It is complete if it has digits, and does not end with a point.
    func draft(_ format: (Decimal) -> String, _ complete: (Decimal) -> String) -> EntryDraft {
        guard !whole.isEmpty || fraction != nil else { return EntryDraft(text: "", answer: nil) }
        let text = format(number(whole)) + (fraction.map { ".\($0)" } ?? "")
        guard fraction != "" else { return EntryDraft(text: text, answer: nil) }
        let number = number("\(whole).\(fraction ?? "")")
        return EntryDraft(text: text, answer: EntryAnswer(text: complete(number), value: "\(number)"))
    }

    private func number(_ digits: String) -> Decimal { Decimal(string: "0\(digits)") ?? 0 }
}
