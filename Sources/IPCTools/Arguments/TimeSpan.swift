internal import ArgumentParser

/// A time on the command line: `20` or `1.5` seconds, `300ms`, `20s`, `2m`, `1h`.
package struct TimeSpan: Sendable, Hashable, ExpressibleByArgument {
    package let duration: Duration
    private let text: String

    /// - Parameter argument: a time above 0 and up to 49 days, the limit of the wire, with at most three decimals.
    package init?(argument: String) {
        guard let milliseconds = Self.milliseconds(argument, Self.units), milliseconds <= UInt32.max else { return nil }
        duration = .milliseconds(milliseconds)
        // In a sentence a number needs its unit.
        text = argument.utf8.last.map { $0 <= UInt8(ascii: "9") } ?? false ? argument + "s" : argument
    }

    /// The argument of an option.
    /// - Throws: the format of a time.
    package static func parse(_ argument: String) throws -> TimeSpan {
        guard let span = TimeSpan(argument: argument) else {
            throw ValidationError("give seconds, or a number with ms, s, m or h behind it, from 1ms to 1193h.")
        }
        return span
    }

    package var defaultValueDescription: String { text }

    /// The milliseconds of each unit.
    fileprivate static let units: [String: Int64] = [
        "": 1_000, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000,
    ]

    /// The milliseconds of a number and a unit; nil if they are not above 0.
    fileprivate static func milliseconds(_ argument: String, _ units: [String: Int64]) -> Int64? {
        let unit = argument.drop { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let factor = units[String(unit)] else { return nil }
        guard let thousandths = thousandths(argument[..<unit.startIndex]) else { return nil }
        let (product, overflow) = thousandths.multipliedReportingOverflow(by: factor)
        return overflow || product < 1_000 ? nil : product / 1_000
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

/// A time on the command line that may be long: as ``TimeSpan``, and `30d`, `2w`; up to 100 years.
package struct LongTimeSpan: Sendable, Hashable, ExpressibleByArgument {
    package let milliseconds: UInt64

    package var duration: Duration { .milliseconds(Int64(milliseconds)) }

    /// The argument of an option.
    /// - Throws: the format of a time.
    package static func parse(_ argument: String) throws -> LongTimeSpan {
        guard let span = LongTimeSpan(argument: argument) else {
            throw ValidationError("give seconds, or a number with ms, s, m, h, d or w behind it, from 1ms to 36525d.")
        }
        return span
    }

    package init?(argument: String) {
        let units = TimeSpan.units.merging(["d": 86_400_000, "w": 604_800_000]) { first, _ in first }
        guard let milliseconds = TimeSpan.milliseconds(argument, units), milliseconds <= 36_525 * 86_400_000
        else { return nil }
        self.milliseconds = UInt64(milliseconds)
    }
}
