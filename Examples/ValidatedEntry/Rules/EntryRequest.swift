public import IPC

extension EntryRule {
    /// Reads the rule from the parts of a URL such as `entry://number?n=4&locale=en_US`. The default locale is `ja_JP`.
    ///
    /// - Parameters:
    ///   - kind: the host of the URL.
    ///   - parameters: its parameters; unknown ones are ignored.
    public init(_ kind: String?, _ parameters: URLParameters) throws(InvalidEntryRequest) {
        guard let kind, !kind.isEmpty else {
            throw InvalidEntryRequest("the URL does not say what to enter; \(Self.kinds)")
        }
        let locale = parameters["locale"] ?? EntryLocale.japanese.rawValue
        guard let known = EntryLocale(rawValue: locale) else {
            let names = EntryLocale.allCases.map(\.rawValue).joined(separator: " or ")
            throw InvalidEntryRequest("locale must be \(names), not “\(locale)”")
        }
        self.init(try Self.kind(kind, parameters), known)
    }

    private static func kind(_ kind: String, _ parameters: URLParameters) throws(InvalidEntryRequest) -> Kind {
        switch kind.lowercased() {
        case "digits": .digits(most: try number(parameters["n"], "n", within: 1...64))
        case "number": .number(digits: try number(parameters["n"], "n", within: 1...Amount.mostDigits))
        case "decimal": .decimal(places: try number(parameters["places"] ?? "2", "places", within: 1...2))
        case "yen": .yen
        case "time": .time
        case "date": .date
        case "datetime": .datetime
        default: throw InvalidEntryRequest("unknown kind of entry “\(kind)”; \(kinds)")
        }
    }

    private static let kinds = """
        use entry://number?n=4, entry://digits?n=4, entry://decimal?places=2, entry://yen, entry://time, entry://date \
        or entry://datetime
        """

    private static func number(
        _ text: String?, _ name: String, within range: ClosedRange<Int>
    ) throws(InvalidEntryRequest) -> Int {
        guard let text, let number = Int(text), range.contains(number) else {
            let said = text.map { ", not “\($0)”" } ?? ""
            throw InvalidEntryRequest("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)\(said)")
        }
        return number
    }
}

extension EntryAnswer {
    /// The reply to the request: an item with the displayed text, and with the value as JSON. The value can be read as
    /// a string, or as a number if it is one.
    public var item: PasteboardItem {
        get throws {
            try PasteboardItem([
                Representation(type: .utf8PlainText, value: .text(text)), Representation(encoding: value),
            ])
        }
    }
}

/// The error for a URL that does not request a valid entry.
public struct InvalidEntryRequest: HandlerError, Sendable, Hashable, CustomStringConvertible {
    /// A message for the author of the URL.
    public let description: String

    public var code: String { "bad-request" }

    init(_ description: String) { self.description = description }
}
