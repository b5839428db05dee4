internal import IPCDBus
internal import IPCModel

/// Counts the descriptors of values that are arriving, for each connection and in all, and refuses what would be too
/// many: who has none left is thrown off the bus (I17). Those that are kept in memory the store counts.
@DBusActor
final class DescriptorBudget {
    private let limits: Limits
    private var arriving: UInt64 = 0
    private var ofCaller: [BusName?: UInt64] = [:]

    init(limits: Limits) { self.limits = limits }

    /// How many are arriving.
    var count: UInt64 { arriving }

    /// Charges a caller with descriptors until the charge is released or let go.
    /// - Throws: `LimitExceeded` for `descriptors-per-caller` or `descriptors`; nothing is charged then.
    func charge(_ count: Int, to caller: BusName?) throws(LimitExceeded) -> DescriptorCharge {
        let more = UInt64(count)
        guard more > 0 else { return DescriptorCharge(0, caller, nil) }
        try limits.check(\.descriptorsPerCaller, use: ofCaller[caller] ?? 0, request: more)
        try limits.check(\.descriptors, use: arriving, request: more)
        arriving += more
        ofCaller[caller, default: 0] += more
        return DescriptorCharge(more, caller, self)
    }

    /// Charges a descriptor that the broker holds for a caller as long as it wants, such as that of a connection; these have
    /// a limit of their own for each caller.
    func chargeConnection() throws(LimitExceeded) -> DescriptorCharge {
        try limits.check(\.descriptors, use: arriving, request: 1)
        arriving += 1
        return DescriptorCharge(1, nil, self, isConnection: true)
    }

    fileprivate func release(connections count: UInt64) { arriving -= count }

    fileprivate func release(_ count: UInt64, of caller: BusName?) {
        arriving -= count
        let left = ofCaller[caller].map { $0 - count } ?? 0
        ofCaller[caller] = left == 0 ? nil : left
    }
}

/// What a call is charged with; it ends with the call at the latest.
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

    /// Gives the descriptors back, once.
    func release() {
        if isConnection { budget?.release(connections: count) } else { budget?.release(count, of: caller) }
        budget = nil
    }
}
