internal import Glibc
internal import IPCInterface

/// How items are put on a pasteboard.
public struct PasteboardOptions: Sendable, Hashable {
    /// How long the items can be read; then the pasteboard is empty, with a change count of its own. `nil` means until
    /// somebody replaces them. Measured by a clock that does not jump, on which sleep counts.
    public var timeToLive: Duration?
    /// When the items end, in milliseconds since 1970 UTC, by the clock of the day at the time of writing; with a
    /// ``timeToLive`` too, whichever comes first.
    public var expirationDate: UInt64?
    /// Whether the items are a secret: kept in memory only, never on the disk or in a log; implies ``isOnce``, and at
    /// most 60 s.
    public var isSensitive = false
    /// Whether the first who reads the items consumes them; the pasteboard is empty afterwards.
    public var isOnce = false
    /// Change only if the pasteboard has exactly this change count.
    public var ifChangeCount: UInt64?
    /// 16 to 64 of `[A-Za-z0-9-]`; a second call with the same id and items changes nothing for 10 min.
    public var id: String?

    /// The defaults, but for what is given.
    public init(
        timeToLive: Duration? = nil, expirationDate: UInt64? = nil, isSensitive: Bool = false, isOnce: Bool = false,
        ifChangeCount: UInt64? = nil, id: String? = nil
    ) {
        self.timeToLive = timeToLive
        self.expirationDate = expirationDate
        self.isSensitive = isSensitive
        self.isOnce = isOnce
        self.ifChangeCount = ifChangeCount
        self.id = id
    }

    /// What is left to read the items, in milliseconds; `nil` for no end.
    /// - Throws: `invalidArguments` where the end has passed.
    func milliseconds(at now: UInt64 = wallClock()) throws(IPCError) -> UInt64? {
        let left = expirationDate.map { $0 > now ? $0 - now : 0 }
        guard let least = [timeToLive?.wholeMilliseconds, left].compactMap(\.self).min() else { return nil }
        guard least > 0 else {
            throw IPCError(.invalidArguments, "the items would end before they are written; give a later time")
        }
        return least
    }

    /// The clock of the day, in milliseconds since 1970 UTC.
    private static func wallClock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; 0 for what is negative, and the most that there is for what is more.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (milliseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return .max }
        let (sum, tooMuch) = milliseconds.addingReportingOverflow(
            UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
        return tooMuch ? .max : sum
    }

    /// Whole milliseconds, rounded up, from 1 to the most that the wire carries (49 days).
    var wireMilliseconds: UInt32 { UInt32(clamping: max(1, wholeMilliseconds)) }
}
