import Glibc

/// Points in time for people.
enum Timestamp {
    /// `2026-01-31T12:00:00Z` (RFC 3339), for milliseconds since 1970 UTC; empty beyond the year 9999.
    static func text(_ milliseconds: UInt64) -> String {
        var seconds = time_t(clamping: milliseconds / 1_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil, parts.tm_year <= 9999 - 1900 else { return "" }
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Milliseconds since 1970 UTC by the clock of the day.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000 + UInt64(clamping: time.tv_nsec) / 1_000_000
    }
}
