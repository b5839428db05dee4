public import IPC

extension EntryRule {
    /// Reads the rule from a URL such as `entry://number?n=4&locale=en_US`. The default locale is `ja_JP`.
    ///
    /// - Parameters:
    ///   - kind: the host of the URL.
    ///   - parameters: its parameters; unknown ones are ignored.
    public init(_ kind: String?, _ parameters: URLParameters) throws(InvalidEntryRequest) {
        func number(_ name: String, _ range: ClosedRange<Int>) throws(InvalidEntryRequest) -> Int {
            let text = parameters[name] ?? ""
            if let number = Int(text), range.contains(number) { return number }
            let allowed = "a number from \(range.lowerBound) to \(range.upperBound)"
            throw InvalidEntryRequest("\(name) must be \(allowed), not “\(text)”")
        }
        let kinds = "use entry://number?n=4, digits?n=4, decimal?places=2, yen, time, date or datetime"
        let locale = parameters["locale"] ?? EntryLocale.japanese.rawValue
        guard let known = EntryLocale(rawValue: locale) else {
            throw InvalidEntryRequest("locale must be ja_JP or en_US, not “\(locale)”")
        }
        self.locale = known
        switch kind?.lowercased() ?? "" {
        case "digits": self.kind = .digits(most: try number("n", 1...64))
        case "number": self.kind = .number(digits: try number("n", 1...Amount.mostDigits))
        case "decimal": self.kind = .decimal(places: parameters["places"] == nil ? 2 : try number("places", 1...2))
        case "yen": self.kind = .yen
        case "time": self.kind = .time
        case "date": self.kind = .date
        case "datetime": self.kind = .datetime
        case "": throw InvalidEntryRequest("the URL does not name a kind of entry; \(kinds)")
        case let other: throw InvalidEntryRequest("unknown kind of entry “\(other)”; \(kinds)")
        }
    }
}

extension EntryAnswer {
    /// The reply: an item with the displayed text and with the value as a JSON string, which also `value(Int.self)` and
    /// similar calls can read.
    public var item: PasteboardItem {
        let text = Representation(type: .utf8PlainText, value: .text(text))
        // A text can always be encoded.
        let value = try? Representation(encoding: value)
        return (try? PasteboardItem([text, value].compactMap(\.self))) ?? .string(self.text)
    }
}

/// The error for a URL that does not request a valid entry.
public struct InvalidEntryRequest: HandlerError, Sendable, Hashable, CustomStringConvertible {
    /// A message for the author of the URL.
    public let description: String

    public var code: String { "bad-request" }

    init(_ description: String) { self.description = description }
}
