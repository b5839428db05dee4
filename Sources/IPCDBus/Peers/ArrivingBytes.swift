/// A limit for the bytes in the arguments of unfinished calls, shared by all connections. A direct connection that
/// holds more than its share is not read. On a bus, all callers share one socket, which must be read: a call that
/// exceeds its caller's share is rejected, and its arguments are dropped.
@DBusActor
public final class ArrivingBytes {
    enum Holder: Hashable {
        case caller(BusName)
        case connection(ObjectIdentifier)
    }

    /// The charge for the arguments of one call. The bytes are charged until the object is released.
    @DBusActor
    final class Charge {
        fileprivate let bytes: Int
        fileprivate let holder: Holder
        private let bound: ArrivingBytes

        fileprivate init(_ bytes: Int, _ holder: Holder, _ bound: ArrivingBytes) {
            (self.bytes, self.holder, self.bound) = (bytes, holder, bound)
        }

        isolated deinit { bound.release(self) }
    }

    private let most: Int
    private var total = 0
    private var holding: [Holder: Int] = [:]
    private var waiting: [@DBusActor () -> Void] = []

    /// Shorter calls are not charged, because the number of calls has its own limit.
    static let leastCounted = 1 << 10
    /// The number of bytes that each connection or sender may always have, even if the limit is reached.
    private static let always = 1 << 20

    /// - Parameter most: the maximum number of bytes of all callers together. One caller may have half of it. A caller
    ///   without charged bytes is admitted until the total reaches one and a half times the maximum.
    public init(most: Int) { self.most = most }

    /// - Returns: `nil` if the bytes exceed the holder's share.
    func charge(_ bytes: Int, to holder: Holder) -> Charge? {
        let own = holding[holder] ?? 0
        let isWithin =
            own + bytes <= Self.always || total == 0
            || (own == 0
                ? total + bytes <= most + most / 2
                : own + bytes <= most / 2 && total + bytes <= most)
        return isWithin ? chargeAlways(bytes, to: holder) : nil
    }

    /// Charges the bytes even if they exceed the holder's share.
    func chargeAlways(_ bytes: Int, to holder: Holder) -> Charge {
        total += bytes
        holding[holder, default: 0] += bytes
        return Charge(bytes, holder, self)
    }

    func isWithinShare(_ holder: Holder) -> Bool {
        let own = holding[holder] ?? 0
        return own <= Self.always || own <= most / 2 && total <= most
    }

    /// Runs an action once, soon after the next release of a charge.
    func onRelease(_ action: @escaping @DBusActor () -> Void) { waiting.append(action) }

    private func release(_ charge: Charge) {
        total -= charge.bytes
        let left = holding[charge.holder].map { $0 - charge.bytes } ?? 0
        holding[charge.holder] = left == 0 ? nil : left
        guard !waiting.isEmpty else { return }
        let actions = waiting
        waiting = []
        DBusActor.thread.soon { for action in actions { action() } }
    }
}
