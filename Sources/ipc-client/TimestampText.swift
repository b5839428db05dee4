import Glibc
import IPC
import IPCModel
import IPCTools

extension Timestamp {
    /// The time as in RFC 3339, in local time (`TZ`) or in UTC; empty beyond the year 9999.
    func text(isLocal: Bool, fraction: Bool = false) -> String {
        guard isLocal else { return fraction ? precise : description }
        var seconds = time_t(clamping: millisecondsSince1970 / 1_000)
        var parts = tm()
        // Unlike localtime(3), localtime_r(3) does not always read TZ, so tzset(3) reads it.
        tzset()
        guard localtime_r(&seconds, &parts) != nil, parts.tm_year <= 9999 - 1900 else { return "" }
        let zone = Self.formatted(&parts, "%z")
        let fraction = fraction ? ".\(milliseconds)" : ""
        return Self.formatted(&parts, "%Y-%m-%dT%H:%M:%S") + "\(fraction)\(zone.dropLast(2)):\(zone.suffix(2))"
    }

    private static func formatted(_ parts: inout tm, _ format: String) -> String {
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `3 min ago`, or `in 3 min`.
    func distance(from now: Timestamp) -> String {
        self > now ? "in \(TimeLength.text(self - now))" : "\(TimeLength.text(now - self)) ago"
    }

    /// The time, and its distance from now.
    func told(isLocal: Bool, now: Timestamp) -> String { "\(text(isLocal: isLocal)) (\(distance(from: now)))" }

    /// A table cell: on a terminal, how long ago or how far ahead the time is; otherwise the time in UTC.
    func cell(isAligned: Bool, now: Timestamp) -> String { isAligned ? distance(from: now) : description }
}

extension JSONValue {
    /// `"2026-01-31T12:00:00.123Z"` (RFC 3339), always in UTC; an empty string beyond the year 9999.
    static func time(_ time: Timestamp) -> JSONValue { .string(time.text(isLocal: false, fraction: true)) }
}
