import Glibc
import IPCTools

/// Points in time for people.
enum Timestamp {
    /// `2026-01-31T12:00:00Z` (RFC 3339), for milliseconds since 1970 UTC; empty beyond the year 9999.
    static func text(_ milliseconds: UInt64) -> String {
        var seconds = time_t(clamping: milliseconds / 1_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil, parts.tm_year <= 9999 - 1900 else { return "" }
        return formatted(&parts, "%Y-%m-%dT%H:%M:%SZ")
    }

    /// `2026-01-31T13:00:00.123+01:00` (RFC 3339), in local time (`TZ`); empty beyond the year 9999.
    static func local(_ milliseconds: UInt64) -> String {
        var seconds = time_t(clamping: milliseconds / 1_000)
        var parts = tm()
        // Unlike localtime, localtime_r need not look at TZ by itself.
        tzset()
        guard localtime_r(&seconds, &parts) != nil, parts.tm_year <= 9999 - 1900 else { return "" }
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        let zone = formatted(&parts, "%z")
        return formatted(&parts, "%Y-%m-%dT%H:%M:%S") + ".\(fraction)\(zone.dropLast(2)):\(zone.suffix(2))"
    }

    /// A point in time, and its distance from now.
    static func told(_ time: UInt64, now: UInt64) -> String {
        let distance = TimeLength.text(milliseconds: time > now ? time - now : now - time)
        return "\(text(time)) (\(time > now ? "in \(distance)" : "\(distance) ago"))"
    }

    private static func formatted(_ parts: inout tm, _ format: String) -> String {
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Milliseconds since 1970 UTC, by the system clock.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000 + UInt64(clamping: time.tv_nsec) / 1_000_000
    }
}
