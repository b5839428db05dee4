internal import CLinux
internal import IPCDBus
internal import IPCModel

/// The budget for descriptors that callers make the broker hold: of arriving values, of values in memory, and of direct
/// connections (I17). It refuses a call beyond the budget, so that the table of the process never fills.
@DBusActor
final class DescriptorBudget {
    private let limits: Limits
    private let kept: @Sendable () -> Int
    private var arriving: UInt64 = 0
    private var ofCaller: [BusName?: UInt64] = [:]

    /// - Parameter kept: the count of values in memory, which the store keeps.
    init(limits: Limits, kept: @escaping @Sendable () -> Int = { 0 }) { (self.limits, self.kept) = (limits, kept) }

    /// The descriptors that are charged now.
    var count: UInt64 { arriving }

    /// Charges a caller with descriptors until the charge is released or destroyed.
    /// - Throws: `LimitExceeded` for `descriptors-per-caller` or `descriptors`; nothing is charged then.
    func charge(_ count: Int, to caller: BusName?) throws(LimitExceeded) -> DescriptorCharge {
        let more = UInt64(count)
        try limits.check(\.descriptorsPerCaller, use: ofCaller[caller] ?? 0, request: more)
        try limits.check(\.descriptors, use: arriving + UInt64(kept()), request: more)
        arriving += more
        ofCaller[caller, default: 0] += more
        return DescriptorCharge(more, caller, self)
    }

    /// Charges the descriptor of a direct connection, which the caller may keep. These have their own limit for each caller.
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

/// The charge of a call, which ends with the call at the latest.
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

    /// Lowers the budget to the free places of a descriptor table of this size.
    mutating func fitDescriptors(to places: Int) {
        let room = UInt64(max(1, places - Int(CLINUX_RESERVED_DESCRIPTORS) - Self.ownDescriptors))
        descriptors = min(descriptors, room)
        directDescriptors = min(directDescriptors, room)
    }
}
