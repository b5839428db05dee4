import Foundation
public import IPC

extension EntryRule {
    /// Reads the rule from `entry://digits?n=4`, `entry://decimal?places=2`, `entry://yen?sign=¥` or `entry://time`.
    public init(url: String) throws(InvalidEntryRequest) {
        guard let parts = URLComponents(string: url), let kind = parts.host, !kind.isEmpty else {
            throw InvalidEntryRequest("the URL does not say what to enter; \(Self.kinds)")
        }
        let parameters = URLParameters(of: url)
        switch kind.lowercased() {
        case "digits": self = .digits(most: try Self.number(parameters["n"], "n", within: 1...64))
        case "decimal": self = .decimal(places: try Self.number(parameters["places"] ?? "2", "places", within: 1...2))
        case "yen":
            let sign = parameters["sign"] ?? "円"
            guard let known = YenSign(rawValue: sign.narrow) else {
                throw InvalidEntryRequest("sign must be ¥ or 円, not “\(sign)”")
            }
            self = .yen(known)
        case "time": self = .time
        default: throw InvalidEntryRequest("unknown kind of entry “\(kind)”; \(Self.kinds)")
        }
    }

    private static let kinds =
        "use entry://digits?n=4, entry://decimal?places=2, entry://yen?sign=¥ or entry://time"

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

/// The error for a URL that does not request a valid entry.
public struct InvalidEntryRequest: HandlerError, Sendable, Hashable, CustomStringConvertible {
    /// A message for the author of the URL.
    public let description: String

    public var code: String { "bad-request" }

    init(_ description: String) { self.description = description }
}
