internal import Glibc

/// The clock of the system.
package enum SystemClock {
    /// Milliseconds since 1970. The corresponding C function is `clock_gettime` with `CLOCK_REALTIME`.
    package static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds since the system was started, its sleep among them; nobody sets this clock. The corresponding C
    /// function is `clock_gettime` with `CLOCK_BOOTTIME`.
    package static func uptimeMilliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
