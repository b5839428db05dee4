internal import Glibc

/// A point in time on the system clock.
///
/// This type does not need Foundation. The product `IPCFoundation` converts timestamps to and from `Date`.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since the start of 1970 UTC.
    public let millisecondsSince1970: UInt64

    /// Creates a point in time from milliseconds since the start of 1970 UTC.
    public init(millisecondsSince1970: UInt64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// The current time, from `clock_gettime(2)` with `CLOCK_REALTIME`.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let seconds = UInt64(max(0, time.tv_sec))
        return Timestamp(millisecondsSince1970: seconds * 1_000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// Returns a later point in time; a negative duration counts as zero. Fractions of a millisecond are dropped.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let more = UInt64(clamping: duration.attoseconds / 1_000_000_000_000_000)
        let (sum, isTooLarge) = time.millisecondsSince1970.addingReportingOverflow(more)
        return Timestamp(millisecondsSince1970: isTooLarge ? .max : sum)
    }

    /// The time from `right` to `left`; zero if `left` is not later.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        let (earlier, later) = (right.millisecondsSince1970, left.millisecondsSince1970)
        return .milliseconds(Int64(clamping: later > earlier ? later - earlier : 0))
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time as in `2026-01-31T12:00:00Z` (RFC 3339), without fractions of a second; empty beyond the year 9999.
    public var description: String {
        var seconds = time_t(clamping: millisecondsSince1970 / 1_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil, parts.tm_year <= 9999 - 1900 else { return "" }
        return String(unsafeUninitializedCapacity: 32) { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress!, $0.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
            }
        }
    }

    /// The time as in `2026-01-31T12:00:00.123Z`; empty beyond the year 9999.
    package var precise: String {
        let text = description
        return text.isEmpty ? "" : "\(text.dropLast()).\(milliseconds)Z"
    }

    /// The milliseconds within the second, as three digits.
    package var milliseconds: Substring { String(millisecondsSince1970 % 1_000 + 1_000).dropFirst() }
}
