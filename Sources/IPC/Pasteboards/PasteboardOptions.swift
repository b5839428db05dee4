internal import IPCInterface

/// How items are put on a pasteboard.
public struct PasteboardOptions: Sendable, Hashable {
    /// The time until the items expire; `nil` means never. When they expire, the pasteboard becomes empty, with a new
    /// change count. The time is measured with a monotonic clock that keeps running while the system sleeps.
    public var timeToLive: Duration?
    /// When the items expire, by the system clock at the time of writing. If ``timeToLive`` is set too, the earlier
    /// time applies.
    public var expiresAt: Timestamp?
    /// Whether the items are a secret, which is kept only in memory, never on disk or in a log. It implies ``isOnce``
    /// and a lifetime of at most 60 s.
    public var isSensitive = false
    /// Whether the first reader consumes the items, which empties the pasteboard.
    public var isOnce = false
    /// If this is set, the pasteboard is changed only if it has exactly this change count.
    public var ifChangeCount: UInt64?
    /// The id of the call. For 10 min, repeating the call with the same id and items has no further effect.
    public var id: RequestID?

    /// Creates options. By default, the items never expire, and the change is unconditional.
    public init(
        timeToLive: Duration? = nil, expiresAt: Timestamp? = nil, isSensitive: Bool = false, isOnce: Bool = false,
        ifChangeCount: UInt64? = nil, id: RequestID? = nil
    ) {
        self.timeToLive = timeToLive
        self.expiresAt = expiresAt
        self.isSensitive = isSensitive
        self.isOnce = isOnce
        self.ifChangeCount = ifChangeCount
        self.id = id
    }

    /// The time until the items expire, in milliseconds; `nil` means never.
    /// - Throws: `invalidArguments` if the items have already expired.
    func milliseconds(at now: Timestamp = .now) throws(IPCError) -> UInt64? {
        let left = expiresAt.map { $0 - now }
        guard let least = [timeToLive, left].compactMap(\.self).min()?.wholeMilliseconds else { return nil }
        guard least > 0 else {
            throw IPCError(.invalidArguments, "the items would expire before they are written; give a later time")
        }
        return least
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up and clamped to the range of the type.
    var wholeMilliseconds: UInt64 {
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return UInt64(clamping: rest > 0 ? whole + 1 : whole)
    }

    /// The duration in whole milliseconds, rounded up, at least 1 and at most the maximum on the wire (49 days).
    var wireMilliseconds: UInt32 { UInt32(clamping: max(1, wholeMilliseconds)) }
}
