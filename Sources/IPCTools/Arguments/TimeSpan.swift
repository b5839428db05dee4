internal import ArgumentParser

/// A time as the command line has it: `20` or `1.5` seconds, `300ms`, `20s`, `2m`, `1h`.
package struct TimeSpan: Sendable, Hashable, ExpressibleByArgument {
    package let duration: Duration
    private let text: String

    /// Longer than 0 and at most 49 days, the most that the wire carries; at most three decimals.
    package init?(argument: String) {
        guard let milliseconds = Self.milliseconds(argument, Self.millisecondsOfUnit),
            (1...Int64(UInt32.max)).contains(milliseconds)
        else { return nil }
        duration = .milliseconds(milliseconds)
        // A number alone says nothing to who reads it in a sentence.
        text = argument.utf8.last.map { $0 <= UInt8(ascii: "9") } ?? false ? argument + "s" : argument
    }

    /// The argument of an option.
    /// - Throws: what a time is.
    package static func parse(_ argument: String) throws -> TimeSpan {
        guard let span = TimeSpan(argument: argument) else {
            throw ValidationError("give seconds, or a number with ms, s, m or h behind it, from 1ms to 1193h.")
        }
        return span
    }

    package var defaultValueDescription: String { text }

    static let millisecondsOfUnit: [String: Int64] = [
        "": 1_000, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000,
    ]

    /// The milliseconds of a number and a unit, where that is one of these.
    static func milliseconds(_ argument: String, _ units: [String: Int64]) -> Int64? {
        let unit = argument.drop { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let factor = units[String(unit)] else { return nil }
        guard let thousandths = thousandths(argument[..<unit.startIndex]) else { return nil }
        let (product, overflow) = thousandths.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product / 1_000
    }

    /// The thousandths of a decimal number such as `1.5`.
    private static func thousandths(_ number: Substring) -> Int64? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = Int64(parts[0]), whole >= 0 else { return nil }
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard (1...3).contains(decimals.count), let rest = Int64(decimals) else { return nil }
        let padded = (decimals.count..<3).reduce(rest) { value, _ in value * 10 }
        let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : product + padded
    }
}
