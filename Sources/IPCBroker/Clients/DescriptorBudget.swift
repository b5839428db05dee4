internal import CLinux
internal import IPCDBus
internal import IPCModel

/// The one budget for descriptors that others make the broker hold: of values that are arriving, of values in memory, and of
/// direct connections (I17). It refuses a call beyond the budget, so that the table of the process never fills.
@DBusActor
final class DescriptorBudget {
    private let limits: Limits
    private let kept: @Sendable () -> Int
    private var arriving: UInt64 = 0
    private var ofCaller: [BusName?: UInt64] = [:]

    /// - Parameter kept: the count of values in memory, which the store keeps.
    init(limits: Limits, kept: @escaping @Sendable () -> Int = { 0 }) { (self.limits, self.kept) = (limits, kept) }

    /// How many are arriving.
    var count: UInt64 { arriving }

    /// Charges a caller with descriptors until the charge is released or let go.
    /// - Throws: `LimitExceeded` for `descriptors-per-caller` or `descriptors`; nothing is charged then.
    func charge(_ count: Int, to caller: BusName?) throws(LimitExceeded) -> DescriptorCharge {
        let more = UInt64(count)
        guard more > 0 else { return DescriptorCharge(0, caller, nil) }
        try limits.check(\.descriptorsPerCaller, use: ofCaller[caller] ?? 0, request: more)
        try limits.check(\.descriptors, use: arriving + UInt64(kept()), request: more)
        arriving += more
        ofCaller[caller, default: 0] += more
        return DescriptorCharge(more, caller, self)
    }

    /// Charges a descriptor that the broker holds for a caller as long as it wants, such as that of a connection; these have
    /// a limit of their own for each caller.
    func chargeConnection() throws(LimitExceeded) -> DescriptorCharge {
        try limits.check(\.descriptors, use: arriving + UInt64(kept()), request: 1)
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

extension Limits {
    /// Places that the broker itself needs: for the bus, the store, the log and what it is started with.
    private static let ownDescriptors = 16

    /// Lowers the budget for descriptors to the places that a table of this size has left.
    mutating func fitDescriptors(to places: Int) {
        let room = UInt64(max(1, places - Int(CLINUX_RESERVED_DESCRIPTORS) - Self.ownDescriptors))
        descriptors = min(descriptors, room)
        directDescriptors = min(directDescriptors, room)
    }
}
