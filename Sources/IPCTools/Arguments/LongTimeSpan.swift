internal import ArgumentParser

/// A time as the command line has it that may be long: as ``TimeSpan``, and `30d`, `2w`; up to 100 years.
package struct LongTimeSpan: Sendable, Hashable, ExpressibleByArgument {
    package let milliseconds: UInt64

    package var duration: Duration { .milliseconds(Int64(milliseconds)) }

    /// The argument of an option.
    /// - Throws: what a time is.
    package static func parse(_ argument: String) throws -> LongTimeSpan {
        guard let span = LongTimeSpan(argument: argument) else {
            throw ValidationError("give seconds, or a number with ms, s, m, h, d or w behind it, from 1ms to 36525d.")
        }
        return span
    }

    package init?(argument: String) {
        let units = TimeSpan.millisecondsOfUnit.merging(["d": 86_400_000, "w": 604_800_000]) { first, _ in first }
        guard let milliseconds = TimeSpan.milliseconds(argument, units),
            (1...36_525 * 86_400_000).contains(milliseconds)
        else { return nil }
        self.milliseconds = UInt64(milliseconds)
    }
}
