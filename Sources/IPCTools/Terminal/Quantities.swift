/// Formats lengths of time for people.
package enum TimeLength {
    private static let units: [(seconds: UInt64, name: String)] = [
        (86_400 * 2, "days"), (3_600 * 2, "h"), (60 * 2, "min"),
    ]

    /// A duration such as `45 s`, `12 min`, `30 h` or `9 days`, rounded down. The unit is the largest one that gives a
    /// number of at least 2, otherwise seconds.
    package static func text(_ length: Duration) -> String {
        let seconds = UInt64(clamping: length.components.seconds)
        for unit in units where seconds >= unit.seconds { return "\(seconds / (unit.seconds / 2)) \(unit.name)" }
        return "\(seconds) s"
    }
}
