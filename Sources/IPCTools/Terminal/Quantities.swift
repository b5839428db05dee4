/// Formats lengths of time for people.
package enum TimeLength {
    private static let units: [(seconds: UInt64, name: String)] = [
        (86_400 * 2, "days"), (3_600 * 2, "h"), (60 * 2, "min"),
    ]

    /// `45 s`, `12 min`, `30 h`, `9 days`: in the largest unit that gives at least 2, or else in seconds; rounded down.
    package static func text(_ length: Duration) -> String {
        let seconds = UInt64(clamping: length.components.seconds)
        for unit in units where seconds >= unit.seconds { return "\(seconds / (unit.seconds / 2)) \(unit.name)" }
        return "\(seconds) s"
    }
}
