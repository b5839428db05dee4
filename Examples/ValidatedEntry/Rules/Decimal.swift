/// A number that is being entered: digits, and perhaps a point and decimal places.
struct Decimal {
    let text: String

    init?(_ text: String, places: Int) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0].isEmpty ? "0" : parts[0].withoutLeadingZeros
        guard parts.allSatisfy(\.isDigits), whole.count <= EntryRule.mostDigits else { return nil }
        guard parts.count == 2 else {
            self.text = whole
            return
        }
        guard parts[1].count <= places else { return nil }
        self.text = "\(whole).\(parts[1])"
    }
}
