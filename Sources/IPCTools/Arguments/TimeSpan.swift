internal import ArgumentParser

/// A duration on the command line: `20` or `1.5` seconds, `300ms`, `20s`, `2m`, `1h`, with at most three decimals.
package struct TimeSpan: Sendable, Hashable, ExpressibleByArgument {
    package let milliseconds: UInt64
    private let text: String

    package var duration: Duration { .milliseconds(Int64(milliseconds)) }
    package var defaultValueDescription: String { text }

    /// - Parameter argument: a time above 0 and up to 49 days, the limit of the D-Bus interface.
    package init?(argument: String) { self.init(argument, Self.units, most: Int64(UInt32.max)) }

    private init?(_ argument: String, _ units: [String: Int64], most: Int64) {
        let unit = argument.drop { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let factor = units[String(unit)] else { return nil }
        guard let thousandths = Self.thousandths(argument[..<unit.startIndex]) else { return nil }
        let (product, overflow) = thousandths.multipliedReportingOverflow(by: factor)
        guard !overflow, (1...most).contains(product / 1_000) else { return nil }
        milliseconds = UInt64(product / 1_000)
        // The text appears in messages, where a number needs its unit.
        text = unit.isEmpty ? argument + "s" : argument
    }

    /// - Throws: an error that explains the format of a time.
    package static func parse(_ argument: String) throws -> TimeSpan {
        guard let span = TimeSpan(argument: argument) else {
            throw ValidationError("give seconds, or a number followed by ms, s, m or h, from 1ms to 1193h.")
        }
        return span
    }

    /// Parses the argument of an option that accepts up to 100 years, also in days or weeks (`30d`, `2w`).
    /// - Throws: an error that explains the format of a time.
    package static func parseLong(_ argument: String) throws -> TimeSpan {
        let units = units.merging(["d": 86_400_000, "w": 604_800_000]) { first, _ in first }
        guard let span = TimeSpan(argument, units, most: 36_525 * 86_400_000) else {
            throw ValidationError("give seconds, or a number followed by ms, s, m, h, d or w, from 1ms to 36525d.")
        }
        return span
    }

    /// The number of milliseconds in each unit.
    private static let units: [String: Int64] = [
        "": 1_000, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000,
    ]

    /// A decimal number such as `1.5` in thousandths; nil if it is malformed.
    private static func thousandths(_ number: Substring) -> Int64? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard parts.count <= 2, !parts[0].isEmpty, (1...3).contains(decimals.count) else { return nil }
        return Int64(parts[0] + decimals + String(repeating: "0", count: 3 - decimals.count))
    }
}
