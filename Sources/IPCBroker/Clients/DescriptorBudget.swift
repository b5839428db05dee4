internal import CLinux
internal import IPCDBus
internal import IPCModel

/// The budget for descriptors that callers make the broker hold: for arriving values, values in memory, and direct
/// connections (I17). A call beyond the budget is refused, so that the process's descriptor table never fills up.
@DBusActor
final class DescriptorBudget {
    private let limits: Limits
    private let kept: @Sendable () -> Int
    private var arriving: UInt64 = 0
    private var ofCaller: [BusName?: UInt64] = [:]

    /// - Parameter kept: returns the number of descriptors that the store holds for values in memory.
    init(limits: Limits, kept: @escaping @Sendable () -> Int = { 0 }) { (self.limits, self.kept) = (limits, kept) }

    /// The number of descriptors that are currently charged, not counting those that the store holds.
    var count: UInt64 { arriving }

    /// Charges descriptors to a caller until the returned charge is released or deinitialized.
    /// - Throws: `LimitExceeded` for `descriptors-per-caller` or `descriptors`, without charging anything.
    func charge(_ count: Int, to caller: BusName?) throws(LimitExceeded) -> DescriptorCharge {
        let more = UInt64(count)
        try limits.check(\.descriptorsPerCaller, use: ofCaller[caller] ?? 0, request: more)
        try limits.check(\.descriptors, use: arriving + UInt64(kept()), request: more)
        arriving += more
        ofCaller[caller, default: 0] += more
        return DescriptorCharge(more, caller, self)
    }

    /// Charges the descriptor of a direct connection to the whole budget, but not to the caller's share, because the
    /// number of connections per caller has its own limit.
    func chargeConnection() throws(LimitExceeded) -> DescriptorCharge {
        try limits.check(\.descriptors, use: arriving + UInt64(kept()), request: 1)
        arriving += 1
        return DescriptorCharge(1, nil, self, isConnection: true)
    }

    fileprivate func release(_ count: UInt64, of caller: BusName?, isConnection: Bool) {
        arriving -= count
        if isConnection { return }
        let left = ofCaller[caller].map { $0 - count } ?? 0
        ofCaller[caller] = left == 0 ? nil : left
    }
}

/// The descriptors charged to a call or a direct connection, until ``release()`` is called or this is deinitialized.
@DBusActor
final class DescriptorCharge {
    private let count: UInt64
    private let caller: BusName?
    private let isConnection: Bool
    private var budget: DescriptorBudget?

    fileprivate init(
        _ count: UInt64, _ caller: BusName?, _ budget: DescriptorBudget?, isConnection: Bool = false
    ) {
        (self.count, self.caller, self.budget, self.isConnection) = (count, caller, budget, isConnection)
    }

    isolated deinit { release() }

    func release() {
        budget?.release(count, of: caller, isConnection: isConnection)
        budget = nil
    }
}

extension Limits {
    /// Descriptors that the broker itself needs: for the bus, the store, the log and the standard streams.
    private static let ownDescriptors = 16

    /// Lowers the limits on descriptors so that they fit into a descriptor table with this many slots.
    mutating func fitDescriptors(to places: Int) {
        let room = UInt64(max(1, places - Int(CLINUX_RESERVED_DESCRIPTORS) - Self.ownDescriptors))
        descriptors = min(descriptors, room)
        directDescriptors = min(directDescriptors, room)
    }
}
